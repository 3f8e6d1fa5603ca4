import { useState } from 'react';
import { useReopenError, useResolveError } from '../../actions/errors.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { BulkProgress } from '../../parts/bulk/progress.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import type { ErrorGroup } from './answer.ts';
import type { DialogProps } from './dialog-props.ts';
import { MuteDialog } from './mute-dialog.tsx';
import { RedriveDialog } from './redrive-dialog.tsx';
import styles from './screen.module.css';
import type { ErrorsSearch } from './search.ts';

const { errors: text, common } = words;

const DIALOGS = { redrive: RedriveDialog, resolve: ResolveDialog, mute: MuteDialog, reopen: ReopenDialog };

/** What can be done about an error; each asks first, and takes a reason. */
export function Actions({ group, search }: { group: ErrorGroup; search: ErrorsSearch }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const [redriven, setRedriven] = useState<string | null>(null);
  const notAllowed = useMay('rerun') ? null : common.notAllowed('rerun');
  const isOpen = group.state === 'open' || group.state === 'back';
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <>
      <div className={styles.acts}>
        <ActionButton words={text.redrive} whyNot={notAllowed} onClick={() => setOpen('redrive')} />
        <ActionButton
          words={text.resolve}
          whyNot={group.state === 'resolved' ? text.resolvedAlready : notAllowed}
          onClick={() => setOpen('resolve')}
        />
        {isOpen ? (
          <ActionButton words={text.mute} whyNot={notAllowed} onClick={() => setOpen('mute')} />
        ) : (
          <ActionButton words={text.reopen} whyNot={notAllowed} onClick={() => setOpen('reopen')} />
        )}
      </div>
      {redriven === null ? null : <BulkProgress id={redriven} right="rerun" words={words.bulk.redriven} />}
      {Dialog ? <Dialog group={group} search={search} onClose={() => setOpen(null)} onRedriven={setRedriven} /> : null}
    </>
  );
}

function ResolveDialog({ group: { fingerprint }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useResolveError();
  return (
    <ReasonDialog
      title={text.resolveTitle}
      doIt={text.doResolve}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { fingerprint }, body: said }, { onSuccess: onClose })}
    >
      {text.resolveWords}
    </ReasonDialog>
  );
}

function ReopenDialog({ group: { fingerprint }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useReopenError();
  return (
    <ReasonDialog
      title={text.reopenTitle}
      doIt={text.doReopen}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { fingerprint }, body: said }, { onSuccess: onClose })}
    >
      {text.reopenWords}
    </ReasonDialog>
  );
}
