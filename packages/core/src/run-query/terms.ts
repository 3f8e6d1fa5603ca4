import { EscapementError } from '../errors.ts';

/** A stretch of a query: characters from `start` on, up to `end`. */
export interface Place {
  start: number;
  end: number;
}

/** A term of a query, as `state:failed,timed_out`. */
export interface Term extends Place {
  field: string;
  /** One of these is meant. */
  values: TermValue[];
}

export interface TermValue extends Place {
  text: string;
}

/** A query that cannot be read: what is wrong, and where in its text. */
export class RunQueryError extends EscapementError {
  override readonly name = 'RunQueryError';
  readonly at: Place;

  constructor(message: string, { at, fix }: { at: Place; fix: string }) {
    super('bad_query', `${message} (character ${at.start + 1})`, { fix });
    this.at = at;
  }
}

/** Characters of a query at most. */
const MAX_LENGTH = 1000;
const FIELD = /[a-z-]+(?=:)/y;
/** In quotes anything, where `\"` and `\\` stand for a quote and a backslash; else up to a space or a comma. */
const VALUE = /"((?:[^"\\]|\\.)*)"|([^\s,"]+)/y;

/** The terms of a query: `field:value` with spaces between; `one,other` for one of several. Throws `RunQueryError`. */
export function readTerms(query: string): Term[] {
  if (query.length > MAX_LENGTH)
    throw new RunQueryError(`the query has ${query.length} characters`, {
      at: { start: MAX_LENGTH, end: query.length },
      fix: `give at most ${MAX_LENGTH}`,
    });
  const terms: Term[] = [];
  let at = 0;

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(query);
    if (found) at = pattern.lastIndex;
    return found;
  }

  function readValue(field: string): TermValue {
    const start = at;
    const found = match(VALUE);
    if (found) return { text: found[1]?.replaceAll(/\\(.)/g, '$1') ?? found[2] ?? '', start, end: at };
    if (query[at] === '"')
      throw new RunQueryError('a quote is not closed', { at: { start, end: query.length }, fix: 'close it with "' });
    throw new RunQueryError(`${field}: has no value`, {
      at: { start, end: start },
      fix: `give one, as in ${field}:value`,
    });
  }

  function readTerm(): Term {
    const start = at;
    const field = match(FIELD)?.[0];
    if (field === undefined) throw noField(query, at);
    at += 1;
    const values = [readValue(field)];
    while (query[at] === ',') {
      at += 1;
      values.push(readValue(field));
    }
    if (at < query.length && !/\s/.test(query[at] ?? '')) throw noField(query, at);
    return { field, values, start, end: at };
  }

  for (;;) {
    while (/\s/.test(query[at] ?? '')) at += 1;
    if (at >= query.length) return terms;
    terms.push(readTerm());
  }
}

function noField(query: string, start: number): RunQueryError {
  const [word = ''] = /^\S*/.exec(query.slice(start)) ?? [];
  return new RunQueryError(`${JSON.stringify(word)} is no term`, {
    at: { start, end: start + word.length },
    fix: 'give terms such as task:nightly-* or key:eu, with spaces between; a value with spaces in quotes',
  });
}
