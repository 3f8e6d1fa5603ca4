import { Stack } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../api/load-part.ts';
import { nowMs } from '../clock.ts';
import { type End, endOf } from '../time/ends.ts';
import type { ChosenEnd } from './end-field.tsx';
import { ReasonDialog, type ReasonDialogProps } from './reason-dialog.tsx';
import type { Said } from './reason-field.tsx';
import { SkeletonRows } from './skeleton.tsx';

/** A field with choices is large: it comes when it is asked for. */
const EndField = lazyPart(() => import('./end-field.tsx'));

interface Common extends Omit<ReasonDialogProps, 'onDo'> {
  /** Of the field that asks until when. */
  label: string;
}

interface Ending extends Common {
  never?: undefined;
  /** What is chosen to begin with. */
  usual: End;
  onDo: (untilAt: string, said: Said) => void;
}

interface Endless extends Common {
  /** The words of the choice that it has no end, which is chosen to begin with. */
  never: string;
  usual?: undefined;
  onDo: (untilAt: string | null, said: Said) => void;
}

/** Asks before an act that lasts: until when, and why. */
export function UntilDialog(props: Ending | Endless) {
  const { label, never, usual, onDo, children, ...dialog } = props;
  const [chosen, setChosen] = useState<ChosenEnd>({ end: usual ?? null, at: '' });
  const onSaid = (said: Said) => {
    if (chosen.end === null) {
      if (props.never !== undefined) props.onDo(null, said);
      return;
    }
    const untilAt = endOf(chosen.end, chosen.at, nowMs());
    if (untilAt !== undefined) onDo(untilAt, said);
  };
  return (
    <ReasonDialog {...dialog} onDo={onSaid}>
      <Stack gap="sm">
        {children}
        <Suspense fallback={<SkeletonRows rows={2} />}>
          <EndField label={label} {...(never === undefined ? {} : { never })} value={chosen} onChange={setChosen} />
        </Suspense>
      </Stack>
    </ReasonDialog>
  );
}
