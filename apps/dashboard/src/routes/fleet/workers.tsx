import { useState } from 'react';
import { useDrainWorker, useResumeWorker } from '../../actions/fleet.ts';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';

type Worker = components['schemas']['Worker'];

const { fleet: text, common } = words;
const { worker: heads } = text;

const COLUMNS: readonly Column<Worker>[] = [
  { head: heads.name, cell: ({ id, name }) => name ?? id },
  { head: heads.host, cell: ({ host, pid }) => text.process(host, pid) },
  { head: heads.pools, cell: ({ pools }) => pools.join(', ') },
  { head: heads.since, cell: ({ startedAt }) => <Instant at={startedAt} as="relative" /> },
  { head: heads.runs, isNumber: true, cell: ({ activeRuns }) => activeRuns.toLocaleString('en') },
  { head: heads.state, cell: ({ drain }) => stateOf(drain) },
  { head: text.actions, isForActions: true, cell: (worker) => <WorkerAction worker={worker} /> },
];

function stateOf(drain: Worker['drain']): string {
  if (drain === null) return text.alive;
  return (drain.isEmpty ? text.drained : text.draining)(drain.askedBy, drain.note);
}

/** The workers that are alive. */
export function Workers() {
  return (
    <Panel title={text.workers} flush>
      <Asked query={get('/v1/workers')} skeleton={<SkeletonRows rows={2} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.noWorkers}>
              <span>{text.noWorkersFix}</span>
              <code>{text.noWorkersCommand}</code>
            </Empty>
          ) : (
            <DataTable label={text.workers} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Asked>
    </Panel>
  );
}

const DIALOGS = { drain: DrainDialog, undrain: UndrainDialog };

function WorkerAction({ worker }: { worker: Worker }) {
  // Which one is asked stays, also when the worker has changed before the answer came.
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const mayPause = useMayAll('pause');
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <>
      <ActionButton
        words={worker.drain === null ? text.drain : text.undrain}
        whyNot={mayPause ? null : common.notAllowedForAll('pause')}
        onClick={() => setOpen(worker.drain === null ? 'drain' : 'undrain')}
      />
      {Dialog ? <Dialog worker={worker} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

interface DialogProps {
  worker: Worker;
  onClose: () => void;
}

function DrainDialog({ worker: { id, name }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useDrainWorker();
  return (
    <ReasonDialog
      title={text.drainTitle}
      doIt={text.doDrain}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, body: said }, { onSuccess: onClose })}
    >
      {text.drainWords(name ?? id)}
    </ReasonDialog>
  );
}

function UndrainDialog({ worker: { id, name }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useResumeWorker();
  return (
    <ReasonDialog
      title={text.undrainTitle}
      doIt={text.doUndrain}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, body: said }, { onSuccess: onClose })}
    >
      {text.undrainWords(name ?? id)}
    </ReasonDialog>
  );
}
