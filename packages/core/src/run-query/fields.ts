import { EscapementError, nearest } from '../errors.ts';
import { type LabelSelector, parseSelector } from '../rights/labels.ts';
import { RunQueryError, readTerms, type Term, type TermValue } from './terms.ts';

/** What each field of a query says, by its name. */
export type Fields<Query, Options> = Readonly<Record<string, (term: Term, options: Options) => Partial<Query>>>;

interface Language<Query, Options> {
  /** What is asked for, in the plural. */
  what: string;
  fields: Fields<Query, Options>;
  options: Options;
}

/** What the terms of a query say together; each field may be given once. Throws `RunQueryError`. */
export function readFields<Query, Options>(
  text: string,
  { what, fields, options }: Language<Query, Options>,
): Partial<Query> {
  const query: Partial<Query> = {};
  const seen = new Set<string>();
  for (const term of readTerms(text)) {
    const read = Object.hasOwn(fields, term.field) ? fields[term.field] : undefined;
    if (!read) throw unknownField(term, what, Object.keys(fields));
    if (seen.has(term.field))
      throw wrong(term, `${term.field} is given twice`, `give one of several with commas: ${term.field}:one,other`);
    seen.add(term.field);
    Object.assign(query, read(term, options));
  }
  return query;
}

function unknownField({ field, start }: Term, what: string, names: readonly string[]): RunQueryError {
  const near = nearest(field, names);
  return new RunQueryError(`${what} have no field "${field}"`, {
    at: { start, end: start + field.length },
    fix: near ? `did you mean ${near}?` : `use one of ${names.join(', ')}`,
  });
}

/** The value of a field that has one. */
export function only(term: Term): TermValue {
  const [value, another] = term.values;
  if (value && !another) return value;
  throw wrong(term, `${term.field} has several values`, 'give one, in quotes where it has a comma in it');
}

/** `label:team=shop,env=test`: all of them must be met, as with `-l`. */
export function selectorOf(term: Term): LabelSelector {
  try {
    return parseSelector(term.values.map(({ text }) => text).join(','));
  } catch (error) {
    throw atTerm(term, error);
  }
}

/** An error of a value, with its place. */
export function atTerm(at: Pick<Term, 'start' | 'end'>, error: unknown): unknown {
  return error instanceof EscapementError ? wrong(at, error.message, error.fix ?? 'leave it out') : error;
}

function wrong({ start, end }: Pick<Term, 'start' | 'end'>, message: string, fix: string): RunQueryError {
  return new RunQueryError(message, { at: { start, end }, fix });
}
