/**
 * The oracle's own reading of cron fields: a predicate per value instead of a list of values, and
 * nothing in common with the reader it checks.
 */

/** second, minute, hour, day of month, month, day of week, year */
export type Fields = readonly [string, string, string, string, string, string, string];

const WORDS: { readonly [field: string]: string } = {
  month: '   JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC',
  week: 'SUNMONTUEWEDTHUFRISAT',
};

export interface Scale {
  name: string;
  min: number;
  max: number;
  /** Where `a/step` ends, if not at `max`: in the unix week it goes on to 7, the second name of Sunday. */
  stepMax?: number;
  /** Number of the first word in `words`. */
  words?: keyof typeof WORDS;
  /** Quartz counts weekdays from 1. */
  shift?: number;
}

/** Whether a value is in a field; `value` in the field's own numbering. Special day forms are never matched here. */
export function holds(field: string, value: number, scale: Scale): boolean {
  return field
    .toUpperCase()
    .split(',')
    .some((member) => holdsMember(member, value, scale));
}

function holdsMember(member: string, value: number, scale: Scale): boolean {
  const { min, max } = scale;
  const [span = '', stepText] = member.split('/');
  const step = stepText === undefined ? 1 : Number(stepText);
  if (span === '*' || span === '?' || span === '') return (value - min) % step === 0;
  const [lowText = '', highText] = span.split('-');
  const low = numberOf(lowText, scale);
  if (Number.isNaN(low)) return false;
  const high =
    highText === undefined ? (stepText === undefined ? low : (scale.stepMax ?? max)) : numberOf(highText, scale);
  const size = scale.words === 'week' ? 7 : max - min + 1;
  const distance = (((value - low) % size) + size) % size;
  const length = high === low ? 0 : high - low >= size - 1 ? size - 1 : (high - low + size) % size;
  return distance <= length && distance % step === 0;
}

export function numberOf(word: string, { words, shift = 0 }: Scale): number {
  if (/^\d+$/.test(word)) return Number(word);
  const position = words && word.length === 3 ? (WORDS[words] ?? '').indexOf(word) : -1;
  return position < 0 ? Number.NaN : position / 3 + shift;
}
