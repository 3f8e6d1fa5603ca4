import { useState } from 'react';
import { useMay } from '../../me/me.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { words } from '../../words/index.ts';
import { DropDialog } from './drop-dialog.tsx';
import type { Which } from './held-act.ts';
import { RunDialog } from './run-dialog.tsx';
import styles from './screen.module.css';

const { common } = words;

export interface DialogProps {
  which: Which;
  onClose: () => void;
  onAsked: (id: string) => void;
}

const DIALOGS = { run: RunDialog, drop: DropDialog };

interface ActsProps extends Omit<DialogProps, 'onClose'> {
  run: string;
  drop: string;
  /** Why neither can be done. Default: they can. */
  whyNot?: string | null;
}

/** Runs what is held, or drops it. Each says first to how many it is done. */
export function Acts({ which, run, drop, whyNot = null, onAsked }: ActsProps) {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const mayRun = useMay('retry');
  const mayDrop = useMay('cancel');
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className={styles.acts}>
      <ActButton
        words={run}
        whyNot={whyNot ?? (mayRun ? null : common.notAllowed('retry'))}
        onClick={() => setOpen('run')}
      />
      <ActButton
        words={drop}
        whyNot={whyNot ?? (mayDrop ? null : common.notAllowed('cancel'))}
        isDangerous
        onClick={() => setOpen('drop')}
      />
      {Dialog ? <Dialog which={which} onClose={() => setOpen(null)} onAsked={onAsked} /> : null}
    </div>
  );
}
