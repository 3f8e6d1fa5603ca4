import { usePauseTask } from '../../acts/pause-task.ts';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './acts.tsx';

const { task: text } = words;

/** Asks until when; the reason is shown with every run that is skipped. */
export function PauseDialog({ task: { id, name }, onClose }: DialogProps) {
  const { mutate, isPending, error } = usePauseTask();
  return (
    <UntilDialog
      title={text.pauseTitle}
      doIt={text.doPause}
      label={text.pauseFor}
      never={text.pauseForever}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, said) => mutate({ path: { id }, body: { untilAt, ...said } }, { onSuccess: onClose })}
    >
      <span>{text.pauseWords(name)}</span>
    </UntilDialog>
  );
}
