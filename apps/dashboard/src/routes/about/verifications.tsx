import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Found } from './found.tsx';
import { isUnderWay, percentOf, type Verification } from './progress.ts';
import styles from './screen.module.css';
import { VerifyAction } from './verify-action.tsx';

const { about: text } = words;
const { verification: heads } = text;
/** No event tells how far one is. */
const LOOK_MS = 1000;

const LOOKS: Readonly<Record<Verification['state'], Look>> = {
  waiting: { tone: 'waiting', shape: 'clock', words: text.states.waiting },
  running: { tone: 'busy', shape: 'play', words: text.states.running },
  done: { tone: 'good', shape: 'check', words: text.states.done },
  failed: { tone: 'bad', shape: 'cross', words: text.states.failed },
};

const COLUMNS: readonly Column<Verification>[] = [
  {
    head: heads.asked,
    cell: ({ askedAt, askedBy, reason }) => (
      <>
        <Instant at={askedAt} as="relative" />
        <div className={styles.small}>
          {text.askedBy(askedBy.name)}
          {reason === null ? null : `: ${reason}`}
        </div>
      </>
    ),
  },
  {
    head: heads.what,
    cell: ({ task, label, from, to }) => (
      <>
        {task !== null ? text.ofTask(task) : label !== null ? text.ofLabel(label) : text.allTasks}
        <div className={styles.small}>
          <Instant at={from} /> {text.to} <Instant at={to} />
        </div>
      </>
    ),
  },
  { head: heads.state, cell: (verification) => <State verification={verification} /> },
  {
    head: heads.compared,
    cell: ({ found }) => (found === null ? text.notYet : text.compared(found.expected, found.tasks)),
  },
  { head: heads.found, cell: (verification) => <Found verification={verification} /> },
];

/** Whether the ledger says what should have happened: what was compared, and what differs. */
export function Verifications() {
  const list = useQuery({
    ...get('/v1/ledger-verifications'),
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? LOOK_MS : false),
  });
  return (
    <Panel
      title={text.ledger}
      flush
      actions={<VerifyAction isOneUnderWay={list.data?.items.some(isUnderWay) ?? false} />}
    >
      <p className={styles.intro}>{text.ledgerWords}</p>
      <Answer of={list} skeleton={<SkeletonRows rows={1} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.noneYet} />
          ) : (
            <DataTable label={text.ledger} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Answer>
    </Panel>
  );
}

function State({ verification }: { verification: Verification }) {
  const { state } = verification;
  const percent = percentOf(verification);
  return (
    <>
      <StateMark look={LOOKS[state]} />
      {state === 'running' ? (
        <div className={styles.small}>
          <progress className={styles.progress} aria-label={text.progressOf} max={100} value={percent} />
          {text.progress(percent)}
        </div>
      ) : null}
    </>
  );
}
