import { NumberInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { nowMs } from '../../clock.ts';
import { endOf } from '../../time/ends.ts';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import type { Terms } from './held-action.ts';

const { recovery: text } = words;
const MOST_PER_MINUTE = 60_000;

interface TermsFieldsProps {
  /** There may be older ones that are not wanted. */
  canChoose: boolean;
  /** Null: the instant is still to be given. */
  onTerms: (terms: Terms | null) => void;
}

interface Filled {
  which: 'all' | 'newest';
  rate: number | string;
  begin: 'now' | 'at';
  at: string;
}

/** Which of the held runs, how many a minute, and from when on. */
export default function TermsFields({ canChoose, onTerms }: TermsFieldsProps) {
  const [filled, setFilled] = useState<Filled>({ which: 'all', rate: '', begin: 'now', at: '' });
  const change = (part: Partial<Filled>) => {
    const next = { ...filled, ...part };
    setFilled(next);
    onTerms(termsOf(next));
  };
  const { which, rate, begin, at } = filled;
  return (
    <>
      {canChoose ? (
        <Select
          label={text.which}
          data={[
            { value: 'all', label: text.whichAll },
            { value: 'newest', label: text.whichNewest },
          ]}
          value={which}
          onChange={(value) => change({ which: value === 'newest' ? 'newest' : 'all' })}
          allowDeselect={false}
          withScrollArea={false}
        />
      ) : null}
      <NumberInput
        label={text.rate}
        placeholder={text.rateNone}
        value={rate}
        onChange={(value) => change({ rate: value })}
        min={0}
        max={MOST_PER_MINUTE}
        hideControls
      />
      <Select
        label={text.begin}
        data={[
          { value: 'now', label: text.beginNow },
          { value: 'at', label: text.beginAt },
        ]}
        value={begin}
        onChange={(value) => change({ begin: value === 'at' ? 'at' : 'now' })}
        allowDeselect={false}
        withScrollArea={false}
      />
      {begin === 'at' ? (
        <TextInput
          type="datetime-local"
          label={text.beginIn(ownZone())}
          value={at}
          onChange={(event) => change({ at: event.currentTarget.value })}
          required
        />
      ) : null}
    </>
  );
}

function termsOf({ which, rate, begin, at }: Filled): Terms | null {
  const fromAt = begin === 'at' ? endOf('at', at, nowMs()) : null;
  if (fromAt === undefined) return null;
  const perMinute = Number(rate);
  return { latestOnly: which === 'newest', perMinute: perMinute > 0 ? perMinute : null, fromAt };
}
