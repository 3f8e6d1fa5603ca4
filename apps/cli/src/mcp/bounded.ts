import { counted, visible, wellFormedText } from '@escapement/core';

/** Characters of JSON. Some 8,000 tokens: assistants cut off more than 10,000 to 25,000 themselves, wherever that may be. */
export const MOST_RESULT = 24_000;

/** How much of a text and of a list is left, ever less until it fits. */
const LEVELS = [
  { text: 8000, entries: 500 },
  { text: 4000, entries: 200 },
  { text: 2000, entries: 100 },
  { text: 1000, entries: 50 },
  { text: 500, entries: 20 },
  { text: 200, entries: 10 },
  { text: 100, entries: 3 },
] as const;

/** Deeper than any answer has to be. */
const MOST_DEPTH = 40;
/** Characters of the name of a field. */
const MOST_KEY = 500;
/** Of those that stand in the words of a cut. */
const MOST_NAME = 60;
/** Cuts that are named. */
const MOST_NAMED = 8;

type Level = { text: number; entries: number };

export interface Bounded {
  value: unknown;
  /** What was cut, in words: `output: 200 of 90000 characters`. */
  cuts: readonly string[];
}

/** A JSON value that fits, with the beginnings of what is too long in it. What a person would not see in a text is made visible. */
export function bounded(value: unknown, most = MOST_RESULT): Bounded {
  for (const level of LEVELS) {
    const cuts: string[] = [];
    const room = { left: most };
    const cut = shrink(value, { level, path: '', depth: 0, cuts, room });
    if (room.left >= 0 && JSON.stringify(cut).length <= most) return { value: cut, cuts: named(cuts) };
  }
  return { value: {}, cuts: ['all of it'] };
}

function named(cuts: readonly string[]): string[] {
  const more = cuts.length - MOST_NAMED;
  return more <= 0 ? [...cuts] : [...cuts.slice(0, MOST_NAMED), `and ${counted(more, 'more place')}`];
}

interface Place {
  level: Level;
  path: string;
  depth: number;
  cuts: string[];
  /** Characters that are left; below 0 it does not fit, and the rest need not be looked at. */
  room: { left: number };
}

function shrink(value: unknown, place: Place): unknown {
  if (place.room.left < 0) return null;
  place.room.left -= 1;
  if (typeof value === 'string') return shortened(value, place);
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth > MOST_DEPTH) {
    place.cuts.push(`${place.path || 'it'}: what is nested deeper`);
    return null;
  }
  return Array.isArray(value) ? shortList(value, place) : shortObject(value, place);
}

function shortened(text: string, { level, path, cuts, room }: Place): string {
  const shown = plain(text.slice(0, level.text));
  room.left -= shown.length;
  if (text.length <= level.text) return shown;
  cuts.push(`${path || 'it'}: ${level.text} of ${text.length} characters`);
  return `${wellFormedText(shown)}…`;
}

function shortList(list: readonly unknown[], place: Place): unknown[] {
  const { level, path, depth, cuts } = place;
  if (list.length > level.entries) cuts.push(`${path || 'it'}: ${level.entries} of ${list.length} entries`);
  return list
    .slice(0, level.entries)
    .map((each, index) => shrink(each, { ...place, path: `${path}[${index}]`, depth: depth + 1 }));
}

function shortObject(object: object, place: Place): object {
  const { level, path, depth, cuts } = place;
  const fields = Object.entries(object);
  if (fields.length > level.entries) cuts.push(`${path || 'it'}: ${level.entries} of ${fields.length} fields`);
  return Object.fromEntries(
    fields.slice(0, level.entries).map(([name, each]) => [
      keyOf(name, place),
      shrink(each, {
        ...place,
        path: `${path}${path === '' ? '' : '.'}${name.slice(0, MOST_NAME)}`,
        depth: depth + 1,
      }),
    ]),
  );
}

function keyOf(name: string, { room }: Place): string {
  const shown = plain(name.slice(0, MOST_KEY));
  room.left -= shown.length;
  return wellFormedText(shown);
}

/** Characters of no width that repeat all of ASCII: a person sees nothing of a text in them, a model reads it. */
const TAGS = /[\u{e0000}-\u{e007f}]/gu;

/** A text in which a person sees all that an assistant reads. */
export function plain(text: string): string {
  return visible(text).replace(TAGS, (tag) => `\\u{${tag.codePointAt(0)?.toString(16)}}`);
}
