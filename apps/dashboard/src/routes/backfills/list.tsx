import { Link } from '@tanstack/react-router';
import { toRunsOf, toTask } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import { type Backfill, countsOf, shareOf } from './progress.ts';
import styles from './screen.module.css';

const { backfills: text } = words;
const { column: heads } = text;

const LOOKS: Readonly<Record<Backfill['state'], Look>> = {
  running: { tone: 'busy', shape: 'play', words: text.states.running },
  stopped: { tone: 'attention', shape: 'hand', words: text.states.stopped },
  done: { tone: 'good', shape: 'check', words: text.states.done },
};

const COLUMNS: readonly Column<Backfill>[] = [
  {
    head: heads.task,
    cell: ({ taskId, taskName, requestedBy, createdAt }) => (
      <>
        <Link {...toTask(taskId)}>{taskName}</Link>
        <div className={styles.remark}>
          {text.by(requestedBy)} <Instant at={createdAt} as="relative" />
        </div>
      </>
    ),
  },
  {
    head: heads.range,
    cell: ({ fromAt, toAt, reverse }) => (
      <div>
        <Instant at={fromAt} />
        <div>
          {text.until} <Instant at={toAt} />
        </div>
        {reverse ? <div className={styles.remark}>{text.orders.newest}</div> : null}
      </div>
    ),
  },
  {
    head: heads.state,
    cell: ({ state }) => (
      <div>
        <StateMark look={LOOKS[state]} />
      </div>
    ),
  },
  { head: heads.progress, cell: (backfill) => <HowFar backfill={backfill} /> },
  { head: heads.actions, isForActions: true, cell: (backfill) => <Actions backfill={backfill} /> },
];

/** Backfills, the latest first, and how far they are. */
export function List({ backfills }: { backfills: readonly Backfill[] }) {
  return <DataTable label={text.list} columns={COLUMNS} rows={backfills} keyOf={({ id }) => id} />;
}

function HowFar({ backfill }: { backfill: Backfill }) {
  const { made, kept, error, taskName } = backfill;
  const { succeeded, failed, notRun, open } = countsOf(backfill);
  const percent = Math.round(100 * shareOf(backfill));
  const parts = [
    ...(succeeded > 0 ? [text.succeeded(succeeded)] : []),
    ...(failed > 0 ? [text.failed(failed)] : []),
    ...(notRun > 0 ? [text.notRun(notRun)] : []),
    ...(open > 0 ? [text.open(open)] : []),
    ...(kept > 0 ? [text.kept(kept)] : []),
  ];
  return (
    <div className={styles.far}>
      <ShareBar percent={percent} label={text.share(percent)} />
      <span>
        <Link {...toRunsOf(taskName, 'origin:backfill,rerun')}>{text.runs(made)}</Link>
        {parts.length === 0 ? null : `: ${parts.join(', ')}`}
      </span>
      {error === null ? null : <span className={styles.error}>{error}</span>}
    </div>
  );
}
