import type { By } from './principal.ts';

/** Who asked for a run to be cancelled, and why, in their own words; null: not said. */
export interface CancelRequest {
  who: string | null;
  reason: string | null;
}

/** How far a run had come when it was cancelled. */
export type CancelledWhen = 'before it started' | 'between attempts' | 'while running' | 'when its worker vanished';

/** How a cancellation is worded in the ledger. */
export function cancelledReason({ who, reason }: CancelRequest, when: CancelledWhen): string {
  return `cancelled${who ? ` by ${who}` : ''} ${when}${reason ? `: ${reason}` : ''}`;
}

/** How it is worded that a run ended because a person released the key that it held. */
export function releasedReason({ principal, reason }: By, key: string): string {
  return `cancelled by ${principal.name}, who released the key "${key}"${reason ? `: ${reason}` : ''}`;
}
