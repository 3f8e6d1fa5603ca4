import { Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toRun, toRunsOf } from '../../links.ts';
import { Asked } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { MOST_BARS } from '../../parts/run-bars/bars.ts';
import { RunBars } from '../../parts/run-bars/run-bars.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { RunStateMark } from '../../parts/state.tsx';
import { Elapsed } from '../../time/elapsed.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Run = components['schemas']['Run'];

const { task: text } = words;
const LISTED = 10;

/** Its latest runs as bars, and those of late as a list. */
export function LatestRuns({ name, zone }: { name: string; zone: string | null }) {
  const runs = toRunsOf(name);
  const query = get('/v1/runs', { query: { query: runs.search.query ?? '', limit: MOST_BARS } });
  return (
    <Panel title={text.latest} actions={<Link {...runs}>{text.all}</Link>} flush>
      <Asked query={query} skeleton={<SkeletonRows rows={6} />}>
        {({ items }) => (items.length === 0 ? <Empty title={text.latestNone} /> : <Listed runs={items} zone={zone} />)}
      </Asked>
    </Panel>
  );
}

function Listed({ runs, zone }: { runs: readonly Run[]; zone: string | null }) {
  return (
    <>
      <div className={styles.bars}>
        <RunBars
          runs={runs.map(({ id, state, startedAt, finishedAt }) => ({
            id,
            state,
            durationMs: tookMs(startedAt, finishedAt),
          }))}
        />
      </div>
      <ul className={styles.list}>
        {runs.slice(0, LISTED).map((run) => (
          <Row key={run.id} run={run} zone={zone} />
        ))}
      </ul>
    </>
  );
}

function Row({ run, zone }: { run: Run; zone: string | null }) {
  const { id, state, scheduledFor, startedAt, finishedAt, error, reason } = run;
  const why = error?.message ?? reason;
  return (
    <li className={styles.run} data-row>
      <RunStateMark state={state} />
      <Link {...toRun(id)}>
        <Instant at={scheduledFor} scheduleZone={zone} />
      </Link>
      <span className={styles.took}>{startedAt === null ? null : <Elapsed from={startedAt} to={finishedAt} />}</span>
      <span className={`${styles.why} quiet cut`} title={why ?? undefined}>
        {why}
      </span>
    </li>
  );
}

function tookMs(startedAt: string | null, finishedAt: string | null): number | null {
  return startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
}
