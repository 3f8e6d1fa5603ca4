import { Select } from '@mantine/core';
import { words } from '../words/index.ts';

const RESOLUTIONS = ['succeeded', 'failed', 'rerun'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

interface ResolutionFieldProps {
  /** Null: nobody has said it yet. */
  as: Resolution | null;
  onAs: (as: Resolution | null) => void;
}

/** What became of runs that are unknown. Nothing is chosen beforehand: only a person knows it. */
export function ResolutionField({ as, onAs }: ResolutionFieldProps) {
  return (
    <Select
      label={words.run.became}
      placeholder={words.run.becameHint}
      data={RESOLUTIONS.map((value) => ({ value, label: words.run.resolutions[value] }))}
      value={as}
      onChange={(value) => onAs(RESOLUTIONS.find((each) => each === value) ?? null)}
      allowDeselect={false}
      withScrollArea={false}
      required
    />
  );
}
