import type { ErrorCode } from '@escapement/core';
import { ProblemError } from './problem.ts';

/** A header that cannot be read. */
export function badHeader(
  name: string,
  { code = 'bad_request', detail, message }: { code?: ErrorCode; detail: string; message: string },
): ProblemError {
  return new ProblemError({ status: 400, code, detail, errors: [{ in: 'header', path: name, message }] });
}
