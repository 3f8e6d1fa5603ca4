import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/load-part.ts';
import { useMay } from '../../me/me.ts';
import type { HaltWords } from '../../words/bulk.ts';
import { words as allWords } from '../../words/index.ts';
import { ActionButton } from '../action-button.tsx';
import type { Halt } from './halt-dialog.tsx';
import type { BulkRequest } from './state.ts';

const { common } = allWords;

/** It comes when it is asked for. */
const HaltDialog = lazyPart(() => import('./halt-dialog.tsx'));

interface BulkActionsProps {
  request: Pick<BulkRequest, 'id' | 'state'>;
  /** The right that the request itself needs. */
  right: 'rerun' | 'cancel';
  words: HaltWords;
}

/** Pauses what is under way, goes on with it, or ends it where it is. */
export function BulkActions({ request: { id, state }, right, words }: BulkActionsProps) {
  const [open, setOpen] = useState<Halt | null>(null);
  const whyNot = useMay(right) ? null : common.notAllowed(right);
  const turn = state === 'paused' ? 'resume' : 'pause';
  return (
    <>
      {([turn, 'cancel'] as const).map((name) => (
        <ActionButton key={name} words={words[name].button} whyNot={whyNot} onClick={() => setOpen(name)} />
      ))}
      <Suspense fallback={null}>
        {open === null ? null : (
          <HaltDialog key={open} id={id} name={open} words={words[open]} onClose={() => setOpen(null)} />
        )}
      </Suspense>
    </>
  );
}
