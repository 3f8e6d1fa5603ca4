import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { get } from '../../api/get.ts';
import { lazyPart } from '../../api/load-part.ts';
import { useMay } from '../../me/me.ts';
import { Answer } from '../../parts/answer.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { RunStateMark } from '../../parts/state.tsx';
import { hasEnded } from '../../states.ts';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import type { RunDescription } from './answer.ts';
import { Attempts } from './attempts.tsx';
import { Audit } from './audit.tsx';
import { Followed } from './followed.tsx';
import { Lateness } from './lateness.tsx';
import styles from './screen.module.css';
import { Why } from './why.tsx';

const api = getRouteApi('/signed-in/runs/$id');
/** What draws lines of logs comes after the screen. */
const Log = lazyPart(() => import('./log/log.tsx'));

/** Everything about a run: the answer to why it is as it is. */
export function RunScreen() {
  const { id } = api.useParams();
  const run = useQuery(get('/v1/runs/{id}', { path: { id } }));
  const { data } = run;
  return (
    <Page
      title={data?.taskName ?? words.runs.title}
      beside={
        data ? (
          <>
            <RunStateMark state={data.state} />
            <Actions run={data} />
          </>
        ) : null
      }
    >
      <Answer of={run} skeleton={<SkeletonRows rows={10} />}>
        {(described) => <Described run={described} />}
      </Answer>
    </Page>
  );
}

function Described({ run }: { run: RunDescription }) {
  const seesPayloads = useMay('read-payload');
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        <Why run={run} />
        <Attempts run={run} />
        {seesPayloads ? (
          <Suspense fallback={<SkeletonRows rows={6} />}>
            <Log key={run.id} runId={run.id} isOpen={!hasEnded(run.state)} />
          </Suspense>
        ) : (
          <Note tone="quiet" shape="hand" title={words.run.logHidden} />
        )}
      </div>
      <div className={styles.column}>
        <Lateness lateness={run.lateness} />
        {seesPayloads ? <Values run={run} /> : null}
        <Followed runId={run.id} />
        <Audit entries={run.audit} />
      </div>
    </div>
  );
}

function Values({ run: { payload, output } }: { run: RunDescription }) {
  const { payload: payloadTitle, ofTask, output: outputTitle, noOutput } = words.run;
  return (
    <>
      <Panel title={payloadTitle}>
        {payload === null || payload === undefined ? (
          <span className="quiet">{ofTask}</span>
        ) : (
          <JsonTree value={payload} />
        )}
      </Panel>
      <Panel title={outputTitle}>
        {output === null || output === undefined ? (
          <span className="quiet">{noOutput}</span>
        ) : (
          <JsonTree value={output} />
        )}
      </Panel>
    </>
  );
}
