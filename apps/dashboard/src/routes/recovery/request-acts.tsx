import { useState } from 'react';
import { useCancelBulk } from '../../acts/cancel-bulk.ts';
import { usePauseBulk } from '../../acts/pause-bulk.ts';
import { useResumeBulk } from '../../acts/resume-bulk.ts';
import { useMay } from '../../me/me.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import type { HeldRequest } from './held-act.ts';
import styles from './screen.module.css';

const { recovery: text, common } = words;

const ACTS = {
  pause: { useIt: usePauseBulk, words: text.pause },
  resume: { useIt: useResumeBulk, words: text.resume },
  cancel: { useIt: useCancelBulk, words: text.cancel },
};

type Name = keyof typeof ACTS;

/** Pauses what is under way, goes on with it, or ends it where it is. */
export function RequestActs({ request: { id, act, state } }: { request: HeldRequest }) {
  const [open, setOpen] = useState<Name | null>(null);
  const right = act.kind === 'run_held' ? 'retry' : 'cancel';
  const whyNot = useMay(right) ? null : common.notAllowed(right);
  const turn = state === 'paused' ? 'resume' : 'pause';
  return (
    <div className={styles.acts}>
      {([turn, 'cancel'] as const).map((name) => (
        <ActButton key={name} words={ACTS[name].words.button} whyNot={whyNot} onClick={() => setOpen(name)} />
      ))}
      {open === null ? null : <HaltDialog key={open} id={id} name={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

function HaltDialog({ id, name, onClose }: { id: string; name: Name; onClose: () => void }) {
  const { useIt, words: said } = ACTS[name];
  const { mutate, isPending, error } = useIt();
  return (
    <ReasonDialog
      title={said.title}
      doIt={said.button}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(body) => mutate({ path: { id }, body }, { onSuccess: onClose })}
    >
      {said.words}
    </ReasonDialog>
  );
}
