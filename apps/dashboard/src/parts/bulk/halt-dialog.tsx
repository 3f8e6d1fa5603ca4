import { useCancelBulk, usePauseBulk, useResumeBulk } from '../../acts/bulk.ts';
import type { HaltWords } from '../../words/bulk.ts';
import { ReasonDialog } from '../reason-dialog.tsx';

const ACTS = { pause: usePauseBulk, resume: useResumeBulk, cancel: useCancelBulk };

/** What can be done to an act on many that is not over. */
export type Halt = keyof typeof ACTS;

interface HaltDialogProps {
  id: string;
  name: Halt;
  words: HaltWords[Halt];
  onClose: () => void;
}

/** Asks for the reason of a halt. */
export default function HaltDialog({ id, name, words, onClose }: HaltDialogProps) {
  const { mutate, isPending, error } = ACTS[name]();
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
