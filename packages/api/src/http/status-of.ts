import { type EscapementError, errorFacts } from '@escapement/core';

/** The status of an error that is meant for users; undefined: it is not. `missing`: codes of what the route is about. */
export function statusOf({ code }: EscapementError, missing: readonly string[]): number | undefined {
  const status = errorFacts(code)?.status ?? undefined;
  if (status !== '404 or 422') return status;
  return missing.includes(code) ? 404 : 422;
}
