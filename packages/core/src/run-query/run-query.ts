import { nearest } from '../errors.ts';
import { readInstant } from '../instant.ts';
import type { LabelSelector } from '../rights/labels.ts';
import { OPEN_STATES, RUN_ORIGINS, RUN_STATES, type RunOrigin, type RunState } from '../run-state.ts';
import { atTerm, type Fields, only, readFields, selectorOf } from './fields.ts';
import { RunQueryError, type Term, type TermValue } from './terms.ts';

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
  return readFields(text, { what: 'runs', fields: FIELDS, options });
}

const FIELDS: Fields<RunQuery, RunQueryOptions> = {
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

function oneOf<const Word extends string>(value: TermValue, words: readonly Word[], what: string): Word[] {
  const found = words.find((word) => word === value.text);
  if (found !== undefined) return [found];
  const near = nearest(value.text, words);
  throw new RunQueryError(`there is no ${what} "${value.text}"`, {
    at: value,
    fix: near ? `did you mean ${near}?` : `use one of ${words.join(', ')}`,
  });
}

function instantOf(term: Term, { now, timeZone }: RunQueryOptions): Date {
  const value = only(term);
  try {
    return readInstant(value.text, { what: term.field, now, spans: 'ago', timeZone });
  } catch (error) {
    throw atTerm(value, error);
  }
}
