import { useState } from 'react';
import { useCancelBulk } from '../../acts/cancel-bulk.ts';
import { usePauseBulk } from '../../acts/pause-bulk.ts';
import { useResumeBulk } from '../../acts/resume-bulk.ts';
import { useMay } from '../../me/me.ts';
import type { HaltWords } from '../../words/bulk.ts';
import { words as allWords } from '../../words/index.ts';
import { ActButton } from '../act-button.tsx';
import { ReasonDialog } from '../reason-dialog.tsx';
import type { BulkRequest } from './state.ts';

const { common } = allWords;

const ACTS = { pause: usePauseBulk, resume: useResumeBulk, cancel: useCancelBulk };

type Name = keyof typeof ACTS;

interface BulkActsProps {
  request: Pick<BulkRequest, 'id' | 'state'>;
  /** The right that the request itself needs. */
  right: 'retry' | 'cancel';
  words: HaltWords;
}

/** Pauses what is under way, goes on with it, or ends it where it is. */
export function BulkActs({ request: { id, state }, right, words }: BulkActsProps) {
  const [open, setOpen] = useState<Name | null>(null);
  const whyNot = useMay(right) ? null : common.notAllowed(right);
  const turn = state === 'paused' ? 'resume' : 'pause';
  return (
    <>
      {([turn, 'cancel'] as const).map((name) => (
        <ActButton key={name} words={words[name].button} whyNot={whyNot} onClick={() => setOpen(name)} />
      ))}
      {open === null ? null : (
        <HaltDialog key={open} id={id} name={open} words={words[open]} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

interface HaltDialogProps {
  id: string;
  name: Name;
  words: HaltWords[Name];
  onClose: () => void;
}

function HaltDialog({ id, name, words, onClose }: HaltDialogProps) {
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
