import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/load-part.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { BulkProgress } from '../../parts/bulk/progress.tsx';
import { words } from '../../words/index.ts';
import { type Action, RIGHTS } from './bulk-action.ts';
import styles from './filter.module.css';

const { bulk: text, common } = words;
/** It comes when it is asked for. */
const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx'));

/** An act on all runs that the filter finds, and how far it is. */
export function Bulk({ query }: { query: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [asked, setAsked] = useState<{ id: string; action: Action } | null>(null);
  const mayRerun = useMay('rerun');
  const mayCancel = useMay('cancel');
  const close = () => setIsOpen(false);
  return (
    <div className={styles.bulk}>
      <ActionButton
        words={text.open}
        whyNot={mayRerun || mayCancel ? null : common.notAllowed('rerun')}
        onClick={() => setIsOpen(true)}
      />
      {asked === null ? null : (
        <BulkProgress id={asked.id} right={RIGHTS[asked.action]} words={text.progress[asked.action]} />
      )}
      {isOpen ? (
        <Suspense fallback={null}>
          <BulkDialog query={query} onClose={close} onAsked={(id, action) => setAsked({ id, action })} />
        </Suspense>
      ) : null}
    </div>
  );
}
