import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCancelRun, useRerunRun } from '../../actions/runs.ts';
import { toRun } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { canCancel, canRerun } from '../../states.ts';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';
import type { DialogProps } from './dialog-props.ts';
import { ResolveDialog } from './resolve-dialog.tsx';
import styles from './screen.module.css';

const { run: text, common } = words;

/** What can be done to a run; each asks first, and takes a reason. */
export function Actions({ run }: { run: RunDescription }) {
  const [open, setOpen] = useState<'cancel' | 'rerun' | 'resolve' | null>(null);
  const mayCancel = useMay('cancel');
  const mayRerun = useMay('rerun');
  const close = () => setOpen(null);
  const isUnknown = run.state === 'unknown';
  const { cannotCancel, cannotRerun, resolveFirst } = text;
  const notAllowed = mayRerun ? null : common.notAllowed('rerun');
  const cancelAllowed = mayCancel ? null : common.notAllowed('cancel');
  const notCancel = isUnknown ? resolveFirst : canCancel(run.state) ? cancelAllowed : cannotCancel;
  const notRerun = isUnknown ? resolveFirst : canRerun(run.state) ? notAllowed : cannotRerun;
  return (
    <div className={styles.acts}>
      {isUnknown ? <ActionButton words={text.resolve} whyNot={notAllowed} onClick={() => setOpen('resolve')} /> : null}
      <ActionButton words={text.rerun} whyNot={notRerun} onClick={() => setOpen('rerun')} />
      <ActionButton words={text.cancel} whyNot={notCancel} isDangerous onClick={() => setOpen('cancel')} />
      {open === 'cancel' ? <CancelDialog run={run} onClose={close} /> : null}
      {open === 'resolve' ? <ResolveDialog run={run} onClose={close} /> : null}
      {open === 'rerun' ? <RerunDialog run={run} onClose={close} /> : null}
    </div>
  );
}

function CancelDialog({ run: { id, taskName, state }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useCancelRun();
  return (
    <ReasonDialog
      title={text.cancelTitle}
      doIt={text.doCancel}
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, body: said }, { onSuccess: onClose })}
    >
      {state === 'running' ? text.cancelRunning(taskName) : text.cancelOpen(taskName)}
    </ReasonDialog>
  );
}

function RerunDialog({ run: { id, taskName }, onClose }: DialogProps) {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useRerunRun();
  const onDo = (said: Said) =>
    mutate(
      { path: { id }, body: said },
      {
        onSuccess: (made) => {
          onClose();
          void navigate(toRun(made.id));
        },
      },
    );
  return (
    <ReasonDialog
      title={text.rerunTitle}
      doIt={text.doRerun}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      {text.rerunWords(taskName)}
    </ReasonDialog>
  );
}
