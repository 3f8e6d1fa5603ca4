import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { words } from '../words/index.ts';
import { ProblemNote } from './problem.tsx';

export interface ReasonDialogProps {
  title: string;
  /** What will happen, and to what. */
  children: ReactNode;
  /** The words of the button that does it. */
  doIt: string;
  /** It ends or takes away something. Default false. */
  isDangerous?: boolean;
  /** It is not done without a reason. Default false. */
  needsReason?: boolean;
  isPending: boolean;
  error: unknown;
  onClose: () => void;
  onDo: (said: Said) => void;
}

/** As acts of the API take it: left out, where nothing is said. */
export interface Said {
  reason?: string;
}

/** Asks before an act: says what will happen, and takes the reason for the audit. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, children, doIt, isDangerous = false, needsReason = false, isPending, error, onClose, onDo } = props;
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const said = reason.trim();
    if (needsReason && said === '') return setIsMissing(true);
    onDo(said === '' ? {} : { reason: said });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      lockScroll={false}
      centered
      closeButtonProps={{ 'aria-label': words.common.close }}
    >
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <div>{children}</div>
          <Textarea
            label={words.common.reason}
            description={words.common.reasonHint}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={1000}
            required={needsReason}
            error={isMissing && reason.trim() === '' ? words.common.reasonNeeded : undefined}
            rows={2}
            data-autofocus
          />
          {error ? <ProblemNote error={error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {words.common.cancel}
            </Button>
            <Button type="submit" color={isDangerous ? 'red' : 'blue'} loading={isPending}>
              {doIt}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
