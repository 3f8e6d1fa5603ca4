import { useCancelBulk, usePauseBulk, useResumeBulk } from '../../actions/bulk.ts';
import type { HaltWords } from '../../words/bulk.ts';
import { ReasonDialog } from '../reason-dialog.tsx';

const ACTIONS = { pause: usePauseBulk, resume: useResumeBulk, cancel: useCancelBulk };

/** What can be done to a bulk action that is not over. */
export type Halt = keyof typeof ACTIONS;

interface HaltDialogProps {
  id: string;
  name: Halt;
  words: HaltWords[Halt];
  onClose: () => void;
}

/** Asks for the reason of a halt. */
export default function HaltDialog({ id, name, words, onClose }: HaltDialogProps) {
  const { mutate, isPending, error } = ACTIONS[name]();
  return (
    <ReasonDialog
      title={words.title}
      doIt={words.button}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(body) => mutate({ path: { id }, body }, { onSuccess: onClose })}
    >
      {words.words}
    </ReasonDialog>
  );
}
