import { isStorable, knownKeysIn, nearestKeyIn, refusedValues, refuseForbiddenKeys } from '@escapement/core';
import type { z } from 'zod';
import { ProblemError, type wrongValue } from './problem.ts';

type WrongValue = z.output<typeof wrongValue>;

/** Where a value stands, and what it is called there. */
const PLACES = {
  path: 'the path',
  query: 'the query',
  body: 'the body',
} as const;

/** What a schema makes of a part of a request. Throws `ProblemError` (`bad_request`) that names each value that is wrong, `json_forbidden_key`. */
export function readPart(schema: z.ZodType, value: unknown, place: keyof typeof PLACES): unknown {
  const root = PLACES[place];
  refuseUnstorable(value, { place, path: '' });
  refuseForbiddenKeys(value, root);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const nearestKey = (path: readonly PropertyKey[], key: string) => nearestKeyIn(schema, path, key);
  const knownKeys = (path: readonly PropertyKey[]) => knownKeysIn(schema, path);
  const refused = refusedValues(parsed.error.issues, value, { nearestKey, knownKeys });
  const errors = refused.map((each): WrongValue => ({ in: place, ...each }));
  const [first] = refused;
  const detail =
    first && refused.length === 1
      ? `${first.path || root}: ${first.message}`
      : `${root}: ${refused.length} values are wrong`;
  throw new ProblemError({ code: 'bad_request', detail, errors });
}

/** Deeper than any request has to be. */
const MAX_DEPTH = 200;

/** Postgres keeps neither NUL nor half a surrogate pair. Throws `ProblemError` (`bad_text`), wherever in a value they are. */
function refuseUnstorable(
  value: unknown,
  { place, path }: { place: keyof typeof PLACES; path: string },
  depth = 0,
): void {
  if (typeof value === 'string') {
    if (isStorable(value)) return;
    const detail = `${path || PLACES[place]} holds a NUL character or half a surrogate pair`;
    throw new ProblemError({ code: 'bad_text', detail, fix: 'leave it out' });
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw new ProblemError({ code: 'bad_text', detail: `${PLACES[place]} is nested too deep` });
  for (const [name, each] of Object.entries(value)) {
    const inner = path === '' ? name : `${path}.${name}`;
    refuseUnstorable(name, { place, path: inner.slice(0, 200) }, depth + 1);
    refuseUnstorable(each, { place, path: inner.slice(0, 200) }, depth + 1);
  }
}
