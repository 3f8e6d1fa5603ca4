import { Link } from '@tanstack/react-router';
import { toRun } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from '../fleet/screen.module.css';
import type { Key } from './answer.ts';

type Run = Key['runs'][number];

const { oneKey: text } = words;
const { wait, run } = text;

const WAITING: readonly Column<Run & { place: number }>[] = [
  { head: wait.place, cell: ({ place }) => place.toLocaleString('en') },
  { head: wait.task, cell: ({ runId, taskName }) => <Link {...toRun(runId)}>{taskName}</Link> },
  { head: wait.due, cell: ({ scheduledFor }) => <Instant at={scheduledFor} as="both" /> },
  {
    head: wait.behind,
    cell: ({ blockedBy }) => (blockedBy === null ? null : <Link {...toRun(blockedBy)}>{text.behind}</Link>),
  },
];

const BESIDE: readonly Column<Run>[] = [
  { head: run.task, cell: ({ runId, taskName }) => <Link {...toRun(runId)}>{taskName}</Link> },
  { head: run.since, cell: ({ startedAt }) => (startedAt === null ? null : <Instant at={startedAt} as="both" />) },
  { head: run.worker, cell: ({ worker }) => worker },
];

/** Who waits for it, in the order in which they get it. */
export function Waiting({ of: { runs, slots } }: { of: Key }) {
  const waiting = runs.filter(isWaiting).map((each, index) => ({ ...each, place: index + 1 }));
  const all = slots[0]?.waiting ?? waiting.length;
  return (
    <Panel title={text.waiting} note={all.toLocaleString('en')} flush>
      {waiting.length === 0 ? (
        <Empty title={text.waitingNone} />
      ) : (
        <DataTable label={text.waiting} columns={WAITING} rows={waiting} keyOf={({ runId }) => runId} />
      )}
      {waiting.length > 0 && all > waiting.length ? (
        <p className={styles.foot}>{text.waitingMore(waiting.length, all)}</p>
      ) : null}
    </Panel>
  );
}

/** Runs of tasks that take no slot of it. */
export function Beside({ of: { runs } }: { of: Key }) {
  const beside = runs.filter((each) => !isWaiting(each));
  if (beside.length === 0) return null;
  return (
    <Panel title={text.beside} note={text.besideNote} flush>
      <DataTable label={text.beside} columns={BESIDE} rows={beside} keyOf={({ runId }) => runId} />
    </Panel>
  );
}

function isWaiting({ state }: Run): boolean {
  return state !== 'running';
}
