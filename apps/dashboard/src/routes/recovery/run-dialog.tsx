import { Stack } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useStartBulk } from '../../actions/bulk.ts';
import { lazyPart } from '../../api/load-part.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useDryCount } from '../../parts/use-dry-count.ts';
import { durationWords } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import { Counted } from './counted.tsx';
import type { DialogProps } from './dialog-props.ts';
import { AT_ONCE, runAction, spacingOf, type Terms } from './held-action.ts';

const { recovery: text } = words;
/** Fields for numbers are large: they come when they are asked for. */
const TermsFields = lazyPart(() => import('./terms-fields.tsx'));

/** Lets held runs go on: all or the newest, how fast, and from when on. */
export default function RunDialog({ which, onClose, onAsked }: DialogProps) {
  // Null: the instant is still to be given.
  const [terms, setTerms] = useState<Terms | null>(AT_ONCE);
  const [latestOnly, setLatestOnly] = useState(false);
  const dry = useDryCount(runAction(which, { ...AT_ONCE, latestOnly }));
  const { mutate, isPending, error } = useStartBulk();
  const { total, dropped } = dry.data ?? { total: 0, dropped: 0 };
  const onTerms = (next: Terms | null) => {
    setTerms(next);
    if (next) setLatestOnly(next.latestOnly);
  };
  return (
    <ReasonDialog
      title={text.runTitle(which)}
      doIt={text.doRun}
      isReady={terms !== null && total > 0 && !dry.isPlaceholderData}
      typed={total + dropped}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => {
        if (!terms) return;
        mutate(
          { body: { action: runAction(which, terms), ...said } },
          {
            onSuccess: ({ id }) => {
              onAsked(id);
              onClose();
            },
          },
        );
      }}
    >
      <Stack gap="sm">
        <Counted of={dry}>
          <p>{text.runWords(total)}</p>
          {which.order ? <p>{text.inOrder(which.order)}</p> : null}
          {dropped > 0 ? <p>{text.olderMissed(dropped)}</p> : null}
        </Counted>
        <Suspense fallback={<SkeletonRows rows={3} />}>
          <TermsFields canChoose={which.runs === undefined} onTerms={onTerms} />
        </Suspense>
        <p className="quiet">
          {paceWords(terms?.perMinute ?? null, total)}
          {which.order?.hasPriorities && !terms?.perMinute ? ` ${text.stillByPriority}` : null}
        </p>
      </Stack>
    </ReasonDialog>
  );
}

function paceWords(perMinute: number | null, total: number): string {
  if (perMinute === null) return text.atOnce;
  const spacingMs = spacingOf(perMinute);
  return text.spaced(durationWords(spacingMs), durationWords(spacingMs * Math.max(0, total - 1)));
}
