import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAcknowledgeAlert } from '../../acts/acknowledge-alert.ts';
import { useSilenceAlerts } from '../../acts/silence-alerts.ts';
import { useMay } from '../../me/me.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { words } from '../../words/index.ts';
import type { AlertOf } from './alert.tsx';
import { matchOf } from './match.ts';
import styles from './screen.module.css';

const { alerts: text, common } = words;

interface DialogProps {
  alert: AlertOf;
  onClose: () => void;
}

const DIALOGS = { acknowledge: AcknowledgeDialog, silence: SilenceDialog };

/** What can be done about an alert; each asks first, and takes a reason. */
export function Acts({ alert }: { alert: AlertOf }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const notAllowed = useMay('pause') ? null : common.notAllowed('pause');
  const isOver = alert.state === 'resolved' ? text.over : null;
  const isTaken = alert.acknowledgedAt === null ? null : text.acknowledgedAlready;
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className={styles.acts}>
      <ActButton
        words={text.acknowledge}
        whyNot={isOver ?? isTaken ?? notAllowed}
        onClick={() => setOpen('acknowledge')}
      />
      <ActButton words={text.silence} whyNot={isOver ?? notAllowed} onClick={() => setOpen('silence')} />
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

function SilenceDialog({ alert, onClose }: DialogProps) {
  const [match, setMatch] = useState(matchOf(alert));
  const { mutate, isPending, error } = useSilenceAlerts();
  return (
    <UntilDialog
      title={text.silenceTitle}
      doIt={text.doSilence}
      label={text.silenceFor}
      usual="hour"
      needsReason
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, { reason = '' }) => mutate({ body: { match, untilAt, reason } }, { onSuccess: onClose })}
    >
      <span>{text.silenceWords}</span>
      <TextInput
        label={text.silenceMatch}
        description={text.silenceMatchHelp}
        value={match}
        onChange={(event) => setMatch(event.currentTarget.value)}
        maxLength={1000}
        required
      />
    </UntilDialog>
  );
}
