import { usePauseTask, useResumeTask } from '../../actions/tasks.ts';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { withUndo } from '../../undo/undo.ts';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';

const { task: text, common } = words;

/** Asks until when; the reason is shown with every run that is skipped. */
export function PauseDialog({ task: { id, name }, onClose }: DialogProps) {
  const { mutateAsync, isPending, error } = usePauseTask();
  const resume = useResumeTask();
  return (
    <UntilDialog
      title={text.pauseTitle}
      doIt={text.doPause}
      label={text.pauseFor}
      never={text.pauseForever}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, said) =>
        void withUndo({
          action: mutateAsync({ path: { id }, body: { untilAt, ...said } }),
          done: text.pauseDone(name),
          back: () => resume.mutateAsync({ path: { id }, body: { reason: common.undoReason } }),
          onDone: onClose,
        })
      }
    >
      <span>{text.pauseWords(name)}</span>
    </UntilDialog>
  );
}
