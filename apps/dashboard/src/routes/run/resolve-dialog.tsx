import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useResolveRun } from '../../actions/runs.ts';
import { toRun } from '../../links.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { type Resolution, ResolutionField } from '../../parts/resolution-field.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';

const { run: text } = words;

/** Takes what became of a run that is unknown, and how one knows. */
export function ResolveDialog({ run: { id, taskName }, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [as, setAs] = useState<Resolution | null>(null);
  const { mutate, isPending, error } = useResolveRun();
  const onDo = ({ reason = '' }: Said) => {
    if (as === null) return;
    mutate(
      { path: { id }, body: { as, reason } },
      {
        onSuccess: ({ rerunId }) => {
          onClose();
          if (rerunId !== null) void navigate(toRun(rerunId));
        },
      },
    );
  };
  return (
    <ReasonDialog
      title={text.resolveTitle}
      doIt={text.doResolve}
      needsReason
      isReady={as !== null}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <Stack gap="sm">
        <p>{text.resolveWords(taskName)}</p>
        <ResolutionField as={as} onAs={setAs} />
      </Stack>
    </ReasonDialog>
  );
}
