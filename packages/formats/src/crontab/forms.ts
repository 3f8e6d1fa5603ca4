import { hashTo } from '@escapement/core/schedule';

/** The forms of some crons, written as all understand them, and what was made of them. */
export interface PlainForms {
  schedule: string;
  /** The day of week had a `+`: a day has to match both day fields. */
  bothDays: boolean;
  notes: string[];
}

interface FieldForm {
  name: string;
  min: number;
  max: number;
  words?: readonly string[];
}

const FIELDS: readonly FieldForm[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { name: 'day of week', min: 0, max: 6, words: 'sun mon tue wed thu fri sat'.split(' ') },
];

/**
 * Writes out what only some crons know: `a~b`, a value that they draw each time they read the file, and ranges that go over the end of
 * a field (`23-7/2`, `fri-sun`), and `+mon`, by which they mean the day of month as well as the day of week. What is not one of these stays as it is. `seed`: what a drawn value depends on.
 */
export function plainForms(schedule: string, seed: string): PlainForms {
  if (schedule.startsWith('@')) return { schedule, bothDays: false, notes: [] };
  const notes: string[] = [];
  const bothDays = / \+[^ ]*$/.test(schedule);
  if (bothDays) notes.push('the + before the day of week, which cron refuses: a day has to match both day fields');
  const fields = schedule
    .replace(/ \+(?=[^ ]*$)/, ' ')
    .split(' ')
    .map((text, index) => {
      const field = FIELDS[index];
      return field === undefined
        ? text
        : text
            .split(',')
            .map((each) => plainMember(each, field))
            .join(',');
    });
  return { schedule: fields.join(' '), bothDays, notes };

  function plainMember(text: string, field: FieldForm): string {
    const drawn = drawnOf(text, field, seed);
    if (drawn !== undefined) {
      notes.push(`"${text}" is drawn anew by cron at each start; here the ${field.name} is ${drawn}, and stays so`);
      return String(drawn);
    }
    const values = wrappedOf(text, field);
    if (values === undefined) return text;
    notes.push(
      `"${text}" goes over the end of the field, which some crons refuse: read as ${field.name} ${values.join(',')}`,
    );
    return values.join(',');
  }
}

/** Undefined: it is no such form, or one whose ends are wrong, which is refused as it stands. */
function drawnOf(text: string, field: FieldForm, seed: string): number | undefined {
  const [, low, high] = /^(\d*)~(\d*)$/.exec(text) ?? [];
  if (low === undefined || high === undefined) return undefined;
  const from = low === '' ? field.min : Number(low);
  const to = high === '' ? field.max : Number(high);
  if (from < field.min || to > field.max || to < from) return undefined;
  return from + hashTo(seed, field.name, to - from + 1);
}

function wrappedOf(text: string, field: FieldForm): number[] | undefined {
  const [, first = '', last = '', stepText = '1'] = /^([a-z]+|\d+)-([a-z]+|\d+)(?:\/(\d+))?$/i.exec(text) ?? [];
  const [from, to, step] = [numberIn(first, field), numberIn(last, field), Number(stepText)];
  if (from === undefined || to === undefined || to >= from || step < 1) return undefined;
  const size = field.max - field.min + 1;
  const values: number[] = [];
  for (let at = from; at <= to + size; at += step) values.push(((at - field.min) % size) + field.min);
  return values;
}

function numberIn(word: string, { min, max, words }: FieldForm): number | undefined {
  const place = words?.indexOf(word.toLowerCase().slice(0, 3)) ?? -1;
  if (place >= 0 && /^[a-z]{3}$/i.test(word)) return place + min;
  return /^\d+$/.test(word) && Number(word) >= min && Number(word) <= max ? Number(word) : undefined;
}
