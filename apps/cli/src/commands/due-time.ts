import { EscapementError, readInstant } from '@escapement/core';
import type { Context } from '../context.ts';
import { systemZone } from '../output/wording.ts';

/** When a run is to be due, as a command line says it: at an instant, or a span from now. */
export interface DueTime {
  at?: string;
  in?: string;
}

/** Undefined: now. Throws `bad_instant`, and `needless_option` where both are given. */
export function dueAt({ at, in: span }: DueTime, { clock }: Context): Date | undefined {
  if (at !== undefined && span !== undefined)
    throw new EscapementError('needless_option', '--at and --in are both given', { fix: 'give one of them' });
  const text = at ?? span;
  if (text === undefined) return undefined;
  const what = at === undefined ? '--in' : '--at';
  return readInstant(text, { what, now: clock.now(), spans: 'ahead', timeZone: systemZone() });
}
