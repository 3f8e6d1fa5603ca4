import { useState } from 'react';
import { useRevertTask } from '../../actions/tasks.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';
import { Diff } from './diff.tsx';

const { task: text, common } = words;

/** Goes back to an older version, and shows first what that changes. */
export function Revert({ task, version }: { task: TaskDescription; version: number }) {
  const [isOpen, setOpen] = useState(false);
  const whyNot = useMay('edit') ? null : common.notAllowed('edit');
  return (
    <>
      <ActionButton words={text.revert} whyNot={whyNot} onClick={() => setOpen(true)} />
      {isOpen ? <RevertDialog task={task} version={version} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface RevertDialogProps {
  task: TaskDescription;
  version: number;
  onClose: () => void;
}

function RevertDialog({ task, version, onClose }: RevertDialogProps) {
  const { mutate, isPending, error } = useRevertTask();
  // What was looked at is what is replaced: who has saved meanwhile is not overwritten.
  const [looked] = useState(task.version);
  const onDo = (said: Said) =>
    mutate(
      {
        path: { id: task.id },
        query: said,
        body: { version },
        headers: { 'if-match': `"${looked}"` },
      },
      { onSuccess: onClose },
    );
  return (
    <ReasonDialog
      title={text.revertTitle(version)}
      doIt={text.doRevert}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      {text.revertWords(task.name, version)}
      <Diff id={task.id} from={looked} to={version} />
    </ReasonDialog>
  );
}
