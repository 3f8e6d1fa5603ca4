import { useState } from 'react';
import { usePausePool, useResumePool } from '../../actions/fleet.ts';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { withUndo } from '../../undo/undo.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Pool = components['schemas']['Pool'];

const { fleet: text, common } = words;
const { pool: heads } = text;

const COLUMNS: readonly Column<Pool>[] = [
  {
    head: heads.name,
    cell: ({ name, pause }) => (
      <>
        {name}
        {pause === null ? null : <div className={styles.remark}>{text.pausedBy(pause.by, pause.note)}</div>}
      </>
    ),
  },
  {
    head: heads.workers,
    isNumber: true,
    cell: ({ workers, expectedWorkers }) => text.workersOf(workers.length, expectedWorkers),
  },
  { head: heads.running, isNumber: true, cell: ({ running }) => running.toLocaleString('en') },
  { head: heads.waiting, isNumber: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
  {
    head: heads.oldest,
    isNumber: true,
    cell: ({ oldestDueAt }) => (oldestDueAt === null ? common.none : <Instant at={oldestDueAt} as="relative" />),
  },
  { head: heads.tasks, isNumber: true, cell: ({ tasks }) => tasks.toLocaleString('en') },
  {
    head: heads.rate,
    isNumber: true,
    cell: ({ rate }) => (rate === null ? common.none : text.rate(rate.limit, durationWords(rate.perMs))),
  },
  { head: text.actions, isForActions: true, cell: (pool) => <PoolAction pool={pool} /> },
];

/** Each pool: who works for it, and what waits in it. */
export function Pools() {
  return (
    <Panel title={text.pools} flush>
      <Asked query={get('/v1/pools')} skeleton={<SkeletonRows rows={2} />}>
        {({ items }) => <DataTable label={text.pools} columns={COLUMNS} rows={items} keyOf={({ name }) => name} />}
      </Asked>
    </Panel>
  );
}

const DIALOGS = { pause: PauseDialog, resume: ResumeDialog };

function PoolAction({ pool: { name, pause } }: { pool: Pool }) {
  // Which one is asked stays, also when the pool has changed before the answer came.
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const mayPause = useMayAll('pause');
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <>
      <ActionButton
        words={pause === null ? text.pause : text.resume}
        whyNot={mayPause ? null : common.notAllowedForAll('pause')}
        onClick={() => setOpen(pause === null ? 'pause' : 'resume')}
      />
      {Dialog ? <Dialog name={name} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

interface DialogProps {
  name: string;
  onClose: () => void;
}

function PauseDialog({ name, onClose }: DialogProps) {
  const { mutateAsync, isPending, error } = usePausePool();
  const resume = useResumePool();
  return (
    <UntilDialog
      title={text.pauseTitle(name)}
      doIt={text.doPause}
      label={text.pauseFor}
      never={text.pauseForever}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, said) =>
        void withUndo({
          action: mutateAsync({ path: { name }, body: { untilAt, ...said } }),
          done: text.pauseDone(name),
          back: () => resume.mutateAsync({ path: { name }, body: { reason: common.undoReason } }),
          onDone: onClose,
        })
      }
    >
      <span>{text.pauseWords}</span>
    </UntilDialog>
  );
}

function ResumeDialog({ name, onClose }: DialogProps) {
  const { mutate, isPending, error } = useResumePool();
  return (
    <ReasonDialog
      title={text.resumeTitle(name)}
      doIt={text.doResume}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { name }, body: said }, { onSuccess: onClose })}
    >
      {text.resumeWords}
    </ReasonDialog>
  );
}
