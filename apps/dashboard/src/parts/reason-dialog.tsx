import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { words } from '../words/index.ts';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem.tsx';
import { ReasonField, type Said, saidOf } from './reason-field.tsx';

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
  /** What it asks about is known, and there is something to do. Default true. */
  isReady?: boolean;
  /** To how many it is done: where they are more than 100, one types how many. Default: one is not asked. */
  typed?: number;
  isPending: boolean;
  error: unknown;
  onClose: () => void;
  onDo: (said: Said) => void;
}

const UNTYPED = 100;

/** Asks before an act: says what will happen, and takes the reason for the audit. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, children, doIt, isDangerous = false, needsReason = false, isReady = true, typed = 0 } = props;
  const { isPending, error, onClose, onDo } = props;
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [count, setCount] = useState('');
  const isTyped = typed <= UNTYPED || Number(count.replaceAll(/[\s,]/g, '')) === typed;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const said = saidOf(reason);
    if (!isReady || isPending) return;
    if (!isTyped || (needsReason && said.reason === undefined)) return setIsMissing(true);
    onDo(said);
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <div>{children}</div>
          <ReasonField
            reason={reason}
            onReason={setReason}
            isRequired={needsReason}
            isFirst
            error={isMissing && reason.trim() === '' ? words.common.reasonNeeded : undefined}
          />
          {typed <= UNTYPED ? null : (
            <TextInput
              label={words.common.typedCount(typed)}
              value={count}
              onChange={(event) => setCount(event.currentTarget.value)}
              inputMode="numeric"
              autoComplete="off"
              required
              error={isMissing && !isTyped ? words.common.typedWrong(typed) : undefined}
            />
          )}
          {error ? <ProblemNote error={error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {words.common.cancel}
            </Button>
            <Button type="submit" color={isDangerous ? 'red' : 'blue'} loading={isPending} disabled={!isReady}>
              {doIt}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
