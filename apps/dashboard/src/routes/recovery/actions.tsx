import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/load-part.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';
import styles from './screen.module.css';

const { common } = words;

/** They come when they are asked for. */
const DIALOGS = {
  run: lazyPart(() => import('./run-dialog.tsx')),
  drop: lazyPart(() => import('./drop-dialog.tsx')),
};

interface ActionsProps extends Omit<DialogProps, 'onClose'> {
  run: string;
  drop: string;
  /** Why neither can be done. Default: they can. */
  whyNot?: string | null;
}

/** Runs what is held, or drops it. Each says first to how many it is done. */
export function Actions({ which, run, drop, whyNot = null, onAsked }: ActionsProps) {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const mayRun = useMay('rerun');
  const mayDrop = useMay('cancel');
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className={styles.acts}>
      <ActionButton
        words={run}
        whyNot={whyNot ?? (mayRun ? null : common.notAllowed('rerun'))}
        onClick={() => setOpen('run')}
      />
      <ActionButton
        words={drop}
        whyNot={whyNot ?? (mayDrop ? null : common.notAllowed('cancel'))}
        isDangerous
        onClick={() => setOpen('drop')}
      />
      <Suspense fallback={null}>
        {Dialog ? <Dialog which={which} onClose={() => setOpen(null)} onAsked={onAsked} /> : null}
      </Suspense>
    </div>
  );
}
