import { nearestKeyIn, refusals } from '@escapement/core';
import type { z } from 'zod';
import { ProblemError, type wrongValue } from './problem.ts';

type WrongValue = z.output<typeof wrongValue>;

/** Where a value stands, and what it is called there. */
const PLACES = {
  path: 'the path',
  query: 'the query',
  body: 'the body',
} as const;

/** What a schema makes of a part of a request. Throws `ProblemError` (`bad_request`) that names each value that is wrong. */
export function readPart(schema: z.ZodType, value: unknown, place: keyof typeof PLACES): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const root = PLACES[place];
  const lines = refusals(parsed.error.issues, value, {
    root,
    nearestKey: (path, key) => nearestKeyIn(schema, path, key),
  });
  const errors = lines.map((line): WrongValue => {
    const colon = line.indexOf(': ');
    const path = line.slice(0, colon);
    return { in: place, path: path === root ? '' : path, message: line.slice(colon + 2) };
  });
  const detail = lines.length === 1 ? `${lines[0]}` : `${root}: ${lines.length} values are wrong`;
  throw new ProblemError({ status: 400, code: 'bad_request', detail, errors });
}
