import { type By, EscapementError } from '@escapement/core';

/** Throws `no_reason` where it is not said why. */
export function needsReason({ reason }: By, why: string): void {
  if (reason === null) throw new EscapementError('no_reason', `no reason is given: ${why}`, { fix: 'say why' });
}
