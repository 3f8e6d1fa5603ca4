import type { z } from 'zod';
import { ProblemError } from './problem.ts';

/** Where a list goes on, as text that clients hand back as it is. */
export function cursorOf(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place that a cursor stands for. Throws `ProblemError` (`bad_cursor`). */
export function placeOf<Place>(schema: z.ZodType<Place>, cursor: string): Place {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new ProblemError({
      code: 'bad_cursor',
      detail: '`after` is not what a page of this list has said',
      fix: 'give `next` of the page before as it is, or leave it out to begin again',
    });
  }
}
