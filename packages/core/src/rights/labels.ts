import { z } from 'zod';
import { EscapementError } from '../errors.ts';

/** What a task says of itself by name and value, for people and for rights: `{ "team": "shop" }`. */
export type Labels = Readonly<Record<string, string>>;

const KEY = /^[a-z][a-z0-9._/-]{0,62}$/;
const VALUE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;
const MAX_LABELS = 20;
/** Characters of a selector at most. */
const MAX_SELECTOR = 1000;

export const labels = z
  .record(
    z.string().regex(KEY, '1 to 63 lower-case letters, digits and ._/- , beginning with a letter'),
    z.string().regex(VALUE, '1 to 63 letters, digits and ._/- , beginning with a letter or digit'),
  )
  .refine((given) => Object.keys(given).length <= MAX_LABELS, { message: `at most ${MAX_LABELS} labels` });

/** Which tasks are meant, by their labels. */
export interface LabelSelector {
  /** As it was written, with its terms in order. */
  readonly text: string;
  /** Each must be met: the label is there and has one of the values. */
  readonly terms: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** Which tasks are meant: those that meet the selector, or one of several. */
export type LabelFilter = LabelSelector | readonly LabelSelector[];

/**
 * Reads a selector: terms `key=value` or `key=one|other` with commas between, all of which must be met. Throws `bad_selector`. There
 * is no "not": a task that says nothing of itself is never meant.
 */
export function parseSelector(text: string): LabelSelector {
  if (text.length > MAX_SELECTOR) throw bad(`${text.slice(0, 40)}...`);
  const terms = text.split(',').map((term) => readTerm(term.trim(), text));
  const keys = new Set(terms.map(({ key }) => key));
  if (keys.size < terms.length) throw bad(text);
  const sorted = terms.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return { text: sorted.map(({ key, values }) => `${key}=${values.join('|')}`).join(','), terms: sorted };
}

function readTerm(term: string, text: string): LabelSelector['terms'][number] {
  const [key = '', list = '', ...rest] = term.split('=');
  const values = list.split('|');
  if (rest.length > 0 || !KEY.test(key) || !values.every((value) => VALUE.test(value))) throw bad(text);
  return { key, values };
}

function bad(text: string): EscapementError {
  return new EscapementError('bad_selector', `${JSON.stringify(text)} selects no labels`, {
    fix: 'give terms such as team=shop or env=test|stage, with commas between; all of them must be met',
  });
}

/** Whether labels meet a selector. Null: what has none, as a pool or a whole namespace; no selector means it. */
export function matchesSelector({ terms }: LabelSelector, given: Labels | null): boolean {
  return (
    given !== null && terms.every(({ key, values }) => Object.hasOwn(given, key) && values.includes(given[key] ?? ''))
  );
}
