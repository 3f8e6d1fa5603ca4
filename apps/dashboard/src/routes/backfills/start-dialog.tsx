import { Stack } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useStartBackfill } from '../../actions/backfills.ts';
import { lazyPart } from '../../api/load-part.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { bodyOf, EMPTY } from './draft.ts';
import { Preview } from './preview.tsx';
import { usePreview } from './use-preview.ts';

const { backfills: text } = words;
/** Fields for numbers are large: they come when they are asked for. */
const StartFields = lazyPart(() => import('./start-fields.tsx'));

/** Starts a backfill: of which task, over which time, and what would run. */
export function StartDialog({ task, onClose }: { task: string; onClose: () => void }) {
  const [draft, setDraft] = useState({ ...EMPTY, task });
  const previewed = usePreview(draft);
  const { run = 0, rerun = 0 } = previewed.query.data ?? {};
  const { mutate, isPending, error } = useStartBackfill();
  const onDo = (said: Said) => {
    const body = bodyOf(draft);
    if (body) mutate({ body: { ...body, ...said } }, { onSuccess: onClose });
  };
  return (
    <ReasonDialog
      title={text.startTitle}
      doIt={text.doStart}
      isReady={previewed.isCurrent && run + rerun > 0}
      typed={previewed.isCurrent ? run + rerun : 0}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <Stack gap="sm">
        <Suspense fallback={<SkeletonRows rows={5} />}>
          <StartFields draft={draft} onDraft={(part) => setDraft({ ...draft, ...part })} />
        </Suspense>
        <div aria-live="polite">
          <Preview previewed={previewed} />
        </div>
      </Stack>
    </ReasonDialog>
  );
}
