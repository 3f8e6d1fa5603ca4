import { useState } from 'react';
import { useAcknowledgeAlert } from '../../actions/alerts.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import type { AlertOf } from './answer.ts';
import type { DialogProps } from './dialog-props.ts';
import styles from './screen.module.css';
import { SilenceDialog } from './silence-dialog.tsx';

const { alerts: text, common } = words;

const DIALOGS = { acknowledge: AcknowledgeDialog, silence: SilenceDialog };

/** What can be done about an alert; each asks first, and takes a reason. */
export function Actions({ alert }: { alert: AlertOf }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const notAllowed = useMay('pause') ? null : common.notAllowed('pause');
  const isOver = alert.state === 'resolved' ? text.over : null;
  const isTaken = alert.acknowledgedAt === null ? null : text.acknowledgedAlready;
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className={styles.acts}>
      <ActionButton
        words={text.acknowledge}
        whyNot={isOver ?? isTaken ?? notAllowed}
        onClick={() => setOpen('acknowledge')}
      />
      <ActionButton words={text.silence} whyNot={isOver ?? notAllowed} onClick={() => setOpen('silence')} />
      {Dialog ? <Dialog alert={alert} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

function AcknowledgeDialog({ alert: { id }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useAcknowledgeAlert();
  return (
    <ReasonDialog
      title={text.acknowledgeTitle}
      doIt={text.doAcknowledge}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, body: said }, { onSuccess: onClose })}
    >
      {text.acknowledgeWords}
    </ReasonDialog>
  );
}
