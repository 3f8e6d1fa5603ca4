import { useState } from 'react';
import { useResumeBackfill, useStopBackfill } from '../../actions/backfills.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import { type Backfill, countsOf } from './progress.ts';

const { backfills: text, common } = words;

interface DialogProps {
  backfill: Backfill;
  onClose: () => void;
}

const DIALOGS = { stop: StopDialog, resume: ResumeDialog };

/** Stops what is under way, or goes on with what was stopped. */
export function Actions({ backfill }: { backfill: Backfill }) {
  // Which one is asked stays, also when it has ended before the answer came.
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const may = { stop: useMay('cancel'), resume: useMay('trigger') };
  const rights = { stop: 'cancel', resume: 'trigger' };
  const action = backfill.state === 'running' ? 'stop' : 'resume';
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <>
      {backfill.state === 'done' ? null : (
        <ActionButton
          words={text[action]}
          whyNot={may[action] ? null : common.notAllowed(rights[action])}
          onClick={() => setOpen(action)}
        />
      )}
      {Dialog ? <Dialog backfill={backfill} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function StopDialog({ backfill, onClose }: DialogProps) {
  const { mutate, isPending, error } = useStopBackfill();
  const { waiting } = countsOf(backfill);
  return (
    <ReasonDialog
      title={text.stopTitle(backfill.taskName)}
      doIt={text.doStop}
      isDangerous
      typed={waiting}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(body) => mutate({ path: { id: backfill.id }, body }, { onSuccess: onClose })}
    >
      {text.stopWords(waiting)}
    </ReasonDialog>
  );
}

function ResumeDialog({ backfill: { id, taskName }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useResumeBackfill();
  return (
    <ReasonDialog
      title={text.resumeTitle(taskName)}
      doIt={text.doResume}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(body) => mutate({ path: { id }, body }, { onSuccess: onClose })}
    >
      {text.resumeWords}
    </ReasonDialog>
  );
}
