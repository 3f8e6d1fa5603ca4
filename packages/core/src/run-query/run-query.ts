import { EscapementError, nearest } from '../errors.ts';
import { readInstant } from '../instant.ts';
import { type LabelSelector, parseSelector } from '../rights/labels.ts';
import { OPEN_STATES, RUN_ORIGINS, RUN_STATES, type RunOrigin, type RunState } from '../run-state.ts';
import { RunQueryError, readTerms, type Term, type TermValue } from './terms.ts';

/** Which runs: all that is given must be met. */
export interface RunQuery {
  /** Names of tasks, where `*` stands for anything: one of them. */
  tasks?: string[];
  labels?: LabelSelector;
  states?: RunState[];
  origins?: RunOrigin[];
  key?: string;
  worker?: string;
  /** Words of the reason or the error, in letters of any case. */
  error?: string;
  /** Scheduled then or later. */
  since?: Date;
  /** Scheduled before then. */
  until?: Date;
}

export interface RunQueryOptions {
  now: Date;
  /** Of instants without an offset. */
  timeZone: string;
}

/**
 * Reads a query for runs, the same for the command line and for programs: `state:failed,timed_out task:nightly-* since:-24h error:ETIMEDOUT`.
 * `state:open` stands for all states in which a run has not ended. Throws `RunQueryError` (`bad_query`) with the place of what is wrong.
 */
export function parseRunQuery(text: string, options: RunQueryOptions): RunQuery {
  const query: RunQuery = {};
  const seen = new Set<string>();
  for (const term of readTerms(text)) {
    const read = fieldNamed(term);
    if (seen.has(term.field))
      throw wrong(term, `${term.field} is given twice`, 'give one of several with commas: state:failed,timed_out');
    seen.add(term.field);
    Object.assign(query, read(term, options));
  }
  return query;
}

type Read = (term: Term, options: RunQueryOptions) => Partial<RunQuery>;

const FIELDS: Readonly<Record<string, Read>> = {
  task: ({ values }) => ({ tasks: values.map(({ text }) => text) }),
  label: (term) => ({ labels: selectorOf(term) }),
  state: ({ values }) => ({
    states: [
      ...new Set(values.flatMap((value) => (value.text === 'open' ? OPEN_STATES : oneOf(value, RUN_STATES, 'state')))),
    ],
  }),
  origin: ({ values }) => ({ origins: values.flatMap((value) => oneOf(value, RUN_ORIGINS, 'origin')) }),
  key: (term) => ({ key: only(term).text }),
  worker: (term) => ({ worker: only(term).text }),
  error: (term) => ({ error: only(term).text }),
  since: (term, options) => ({ since: instantOf(term, options) }),
  until: (term, options) => ({ until: instantOf(term, options) }),
};

function fieldNamed({ field, start }: Term): Read {
  const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (read) return read;
  const near = nearest(field, Object.keys(FIELDS));
  throw new RunQueryError(`runs have no field "${field}"`, {
    at: { start, end: start + field.length },
    fix: near ? `did you mean ${near}?` : `use one of ${Object.keys(FIELDS).join(', ')}`,
  });
}

function oneOf<const Word extends string>(value: TermValue, words: readonly Word[], what: string): Word[] {
  const found = words.find((word) => word === value.text);
  if (found !== undefined) return [found];
  const near = nearest(value.text, words);
  throw new RunQueryError(`there is no ${what} "${value.text}"`, {
    at: value,
    fix: near ? `did you mean ${near}?` : `use one of ${words.join(', ')}`,
  });
}

function only(term: Term): TermValue {
  const [value, another] = term.values;
  if (value && !another) return value;
  throw wrong(term, `${term.field} has several values`, 'give one, in quotes where it has a comma in it');
}

/** `label:team=shop,env=test`: all of them must be met, as with `-l`. */
function selectorOf(term: Term): LabelSelector {
  try {
    return parseSelector(term.values.map(({ text }) => text).join(','));
  } catch (error) {
    throw atTerm(term, error);
  }
}

function instantOf(term: Term, { now, timeZone }: RunQueryOptions): Date {
  const value = only(term);
  try {
    return readInstant(value.text, { what: term.field, now, spans: 'ago', timeZone });
  } catch (error) {
    throw atTerm(value, error);
  }
}

function atTerm(at: Pick<Term, 'start' | 'end'>, error: unknown): unknown {
  return error instanceof EscapementError ? wrong(at, error.message, error.fix ?? 'leave it out') : error;
}

function wrong({ start, end }: Pick<Term, 'start' | 'end'>, message: string, fix: string): RunQueryError {
  return new RunQueryError(message, { at: { start, end }, fix });
}
