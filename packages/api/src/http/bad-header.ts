import type { AnsweredCode } from '@escapement/core';
import { ProblemError } from './problem.ts';

/** A header that cannot be read. */
export function badHeader(
  name: string,
  { code = 'bad_request', detail, message }: { code?: AnsweredCode; detail: string; message: string },
): ProblemError {
  return new ProblemError({ code, detail, errors: [{ in: 'header', path: name, message }] });
}
