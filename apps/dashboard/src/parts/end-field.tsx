import { Select, TextInput } from '@mantine/core';
import { ENDS, type End } from '../time/ends.ts';
import { ownZone } from '../time/instants.ts';
import { words } from '../words/index.ts';

export interface ChosenEnd {
  /** Null: it has none. */
  end: End | null;
  /** What the field of the browser holds. */
  at: string;
}

interface EndFieldProps {
  label: string;
  /** The words of the choice that it has no end. Default: there is no such choice. */
  never?: string;
  value: ChosenEnd;
  onChange: (value: ChosenEnd) => void;
}

const NEVER = 'never';
const { ends, endAt } = words.common;

/** Asks when something ends. */
export default function EndField({ label, never, value: { end, at }, onChange }: EndFieldProps) {
  return (
    <>
      <Select
        label={label}
        data={[
          ...(never === undefined ? [] : [{ value: NEVER, label: never }]),
          ...ENDS.map((value) => ({ value, label: ends[value] })),
        ]}
        value={end ?? NEVER}
        onChange={(value) => onChange({ end: ENDS.find((each) => each === value) ?? null, at })}
        allowDeselect={false}
        withScrollArea={false}
      />
      {end === 'at' ? (
        <TextInput
          type="datetime-local"
          label={endAt(ownZone())}
          value={at}
          onChange={(event) => onChange({ end, at: event.currentTarget.value })}
          required
        />
      ) : null}
    </>
  );
}
