import { Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTriggerTask } from '../../actions/tasks.ts';
import type { Given } from '../../api/request.ts';
import { toRun } from '../../links.ts';
import { CodeField } from '../../parts/code-field.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';
import { payloadOf } from './run-payload.ts';

type Payload = NonNullable<Given<'post', '/v1/tasks/{id}/trigger'>['body']>['payload'];

const { task: text } = words;

/** Runs a task now, with its own payload or another. Leads to the run that it has made: one wants to see it. */
export function RunDialog({ task: { id, name, state, definition }, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const { mutate, isPending, error } = useTriggerTask();
  const onTyped = (next: string) => {
    setTyped(next);
    setWrong(undefined);
  };
  const onDo = (said: Said) => {
    const payload = payloadOf(typed);
    if (payload.kind === 'wrong') return setWrong(text.payloadWrong(payload.why));
    const body = payload.kind === 'json' ? { ...said, payload: payload.value as Payload } : said;
    mutate(
      { path: { id }, body },
      {
        onSuccess: ({ runs: [run] }) => {
          onClose();
          if (run) void navigate(toRun(run.id));
        },
      },
    );
  };
  return (
    <ReasonDialog
      title={text.runTitle}
      doIt={text.doRun}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <Stack gap="sm">
        <span>
          {text.runWords(name)} {state === 'paused' ? text.runPaused : null}
        </span>
        <CodeField
          label={text.payload}
          description={text.payloadHelp}
          value={typed}
          onValue={onTyped}
          error={wrong}
          minRows={3}
          maxRows={16}
        />
        {typed === '' && definition.payload !== undefined ? (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => onTyped(JSON.stringify(definition.payload, null, 2))}
          >
            {text.payloadOwn}
          </Button>
        ) : null}
      </Stack>
    </ReasonDialog>
  );
}
