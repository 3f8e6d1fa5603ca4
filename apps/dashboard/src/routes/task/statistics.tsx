import { Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toRun } from '../../links.ts';
import { Asked } from '../../parts/answer.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { RunStateMark } from '../../parts/state.tsx';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Stats = components['schemas']['TaskStatsSince'];

const { task: text } = words;

/** How its runs went, and how long they took. */
export function Statistics({ id }: { id: string }) {
  return (
    <Panel title={text.stats}>
      <Asked query={get('/v1/tasks/{id}/stats', { path: { id } })} skeleton={<SkeletonRows rows={3} />}>
        {(stats) => <Figures stats={stats} />}
      </Asked>
    </Panel>
  );
}

function Figures({ stats: { count, succeeded, failed, notRun, open, p50Ms, p95Ms, lastError } }: { stats: Stats }) {
  const { stat } = text;
  const shown = (n: number) => <span className="figures">{n.toLocaleString('en')}</span>;
  return (
    <div className={styles.figures}>
      <Facts
        of={[
          [stat.count, shown(count)],
          [stat.succeeded, shown(succeeded)],
          [stat.failed, shown(failed)],
          [stat.notRun, shown(notRun)],
          [stat.open, open === 0 ? null : shown(open)],
          [stat.p50, p50Ms === null ? null : durationWords(p50Ms)],
          [stat.p95, p95Ms === null ? null : durationWords(p95Ms)],
        ]}
      />
      {lastError === null ? null : <LastError of={lastError} />}
    </div>
  );
}

function LastError({ of: { runId, state, at, reason, error } }: { of: NonNullable<Stats['lastError']> }) {
  return (
    <div className={styles.lastError}>
      <div className={styles.line}>
        <span className="quiet">{text.lastError}</span>
        <RunStateMark state={state} />
        <Instant at={at} as="relative" />
      </div>
      <Link {...toRun(runId)}>{error?.message ?? reason ?? runId}</Link>
    </div>
  );
}
