import type { z } from 'zod';
import { nearest } from './errors.ts';
import { briefly } from './words.ts';

type Issue = z.core.$ZodIssue;

export interface RefusalOptions {
  /** What the value is called where the path is empty: `the task`. */
  root: string;
  /** The key that was meant by an unknown one, at a path. Default: none is suggested. */
  nearestKey?: (path: readonly PropertyKey[], key: string) => string | undefined;
  /** The keys that are known at a path, which an unknown one is answered with. Default: they are not listed. */
  knownKeys?: (path: readonly PropertyKey[]) => readonly string[];
}

type KeyOptions = Pick<RefusalOptions, 'nearestKey' | 'knownKeys'>;

/** What a schema refuses about one value. */
export interface Refusal {
  /** Where it stands, as `schedule.timeZone`; empty: all of it. */
  path: string;
  /** In words, with the value and what was meant. */
  message: string;
  /** What may stand there, in words. Left out where there is more to say than that. */
  expected?: string;
  /** The value, as JSON, shortened; lists and objects by what they are. Left out where there is none. */
  got?: string;
  /** The name that was probably meant. */
  nearest?: string;
}

/** Longest value that is shown whole. */
const MAX_SHOWN = 80;
/** Unknown keys that are named. */
const MAX_UNKNOWN = 5;
/** Known keys that are listed. */
const MAX_KNOWN = 30;
/** Wordings of zod's own; all others are ours, and say what is allowed. */
const BUILT_IN = /^(Invalid|Too big|Too small|Unrecognized|Expected)/;

/** What a schema refuses about a value, a line each: where, what is expected there, and what was found. */
export function refusals(issues: readonly Issue[], value: unknown, options: RefusalOptions): string[] {
  return refusedValues(issues, value, options).map(({ path, message }) => `${path || options.root}: ${message}`);
}

/** The same, value by value. */
export function refusedValues(issues: readonly Issue[], value: unknown, options: KeyOptions): Refusal[] {
  return issues.flatMap((issue) => refusal(issue, value, options));
}

function refusal(issue: Issue, value: unknown, options: KeyOptions): Refusal[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, issue.path, options);
  const deeper = branchOf(issue);
  if (deeper) return refusedValues(deeper, value, options);
  const ours = !BUILT_IN.test(issue.message);
  if (ours && (issue.code === 'custom' || issue.code === 'invalid_type')) return [{ path, message: issue.message }];
  const expected = ours ? issue.message : expectation(issue);
  if (issue.code === 'invalid_key') return [{ path, message: `expected ${expected} as the key`, expected }];
  const found = at(value, issue.path);
  const short = at(value, issue.path.slice(0, -1));
  // Where a word stands for an object that has it as a field: overlap: skip.
  if (issue.path.length > 0 && typeof short === 'string')
    return refusal({ ...issue, path: issue.path.slice(0, -1) }, value, options);
  if (found === undefined) return [{ path, message: `is missing; expected ${expected}`, expected }];
  const got = shown(found);
  const nearestWord = suggestion(issue, found);
  const message = `expected ${expected}, got ${got}${meant(nearestWord)}`;
  return [{ path, message, expected, got, ...(nearestWord === undefined ? {} : { nearest: nearestWord }) }];
}

/** To find what was meant takes time for each; who has many has written something else altogether. */
function unknownKeys(keys: readonly string[], at: readonly PropertyKey[], options: KeyOptions): Refusal[] {
  const path = at.join('.');
  const named = keys.slice(0, MAX_UNKNOWN).map((key, index): Refusal => {
    const word = options.nearestKey?.(at, key);
    // The list is the same for all of them.
    const known = index === 0 ? takes(options.knownKeys?.(at) ?? [], word) : '';
    return {
      path,
      message: `unknown key "${key}"${meant(word)}${known}`,
      ...(word !== undefined && { nearest: word }),
    };
  });
  const more = keys.length - named.length;
  return more > 0 ? [...named, { path, message: `and ${more} more unknown keys` }] : named;
}

function takes(known: readonly string[], word: string | undefined): string {
  if (known.length === 0) return '';
  return `${word === undefined ? '; it' : ' It'} takes ${briefly(known, MAX_KNOWN)}`;
}

/** Of a union without a discriminator, what is wrong with the choice that the value came nearest to. */
function branchOf(issue: Issue): Issue[] | undefined {
  if (issue.code !== 'invalid_union') return undefined;
  const branch = issue.errors.find((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
  return branch?.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}

const TYPES: { readonly [type: string]: string } = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

const FORMATS: { readonly [format: string]: string } = {
  datetime: 'an ISO 8601 instant such as 2026-03-01T09:00:00Z',
  url: 'a URL such as https://example.com/path',
  email: 'a mail address',
  uuid: 'a UUID',
};

const COUNTED: { readonly [origin: string]: string } = { string: ' characters', array: ' entries' };

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${COUNTED[issue.origin] ?? ''}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${COUNTED[issue.origin] ?? ''}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? (issue.pattern === undefined ? issue.format : `what matches ${issue.pattern}`);
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'another name';
    default: {
      const choices = choicesOf(issue);
      return choices.length > 0 ? choices.join(', ').replace(/, ([^,]*)$/, ' or $1') : issue.message;
    }
  }
}

function choicesOf(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  const options: unknown = issue.code === 'invalid_union' && 'options' in issue ? issue.options : undefined;
  return Array.isArray(options) ? options.map(String) : [];
}

function suggestion(issue: Issue, found: unknown): string | undefined {
  return typeof found === 'string' ? nearest(found, choicesOf(issue)) : undefined;
}

function meant(word: string | undefined): string {
  return word === undefined ? '' : `, did you mean ${word}?`;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}
