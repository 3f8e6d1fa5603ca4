import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/load-part.ts';
import { useMay } from '../../me/me.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { BulkProgress } from '../../parts/bulk/progress.tsx';
import { words } from '../../words/index.ts';
import { type Act, RIGHTS } from './bulk-act.ts';
import styles from './filter.module.css';

const { bulk: text, common } = words;
/** It comes when it is asked for. */
const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx'));

/** An act on all runs that the filter finds, and how far it is. */
export function Bulk({ query }: { query: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [asked, setAsked] = useState<{ id: string; act: Act } | null>(null);
  const mayRerun = useMay('rerun');
  const mayCancel = useMay('cancel');
  const close = () => setIsOpen(false);
  return (
    <div className={styles.bulk}>
      <ActButton
        words={text.open}
        whyNot={mayRerun || mayCancel ? null : common.notAllowed('rerun')}
        onClick={() => setIsOpen(true)}
      />
      {asked === null ? null : (
        <BulkProgress id={asked.id} right={RIGHTS[asked.act]} words={text.progress[asked.act]} />
      )}
      {isOpen ? (
        <Suspense fallback={null}>
          <BulkDialog query={query} onClose={close} onAsked={(id, act) => setAsked({ id, act })} />
        </Suspense>
      ) : null}
    </div>
  );
}
