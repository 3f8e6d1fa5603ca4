import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSilenceAlerts } from '../../actions/alerts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';
import { matchOf } from './match.ts';

const { alerts: text, common } = words;

/** Silences alerts that match. Where none can match as things are, it says why before it closes. */
export function SilenceDialog({ alert, onClose }: DialogProps) {
  const [match, setMatch] = useState(matchOf(alert));
  const { mutate, isPending, error, data } = useSilenceAlerts();
  if (data) return <Warned warnings={data.warnings} onClose={onClose} />;
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
      onDo={(untilAt, { reason = '' }) =>
        mutate(
          { body: { match, untilAt, reason } },
          { onSuccess: ({ warnings }) => (warnings.length === 0 ? onClose() : undefined) },
        )
      }
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

/** It is made all the same: what it matches may come. */
function Warned({ warnings, onClose }: { warnings: readonly string[]; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={text.silenced}>
      <Stack gap="md">
        <Note tone="attention" shape="question" title={text.silenceWarned} role="status">
          {warnings.map((warning) => (
            <span key={warning}>{warning}</span>
          ))}
        </Note>
        <span>{text.silenceKept}</span>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {common.close}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
