import { type By, EscapementError, type SeenLease } from '@escapement/core';
import { type Database, type KeyFilter, listKeySlots } from '@escapement/store';
import { listFleetLeases } from '../ask-fleet.ts';
import { permitInNamespace } from '../rights/permit.ts';
import { type SlotView, slotViews } from './slot-view.ts';

/** The largest limit that a key can have. */
export const MOST_SLOTS = 1000;

export interface SlotsSeen {
  slots: SlotView[];
  /** Why nothing is known of the leases; null: it is. */
  leasesUnknown: EscapementError | null;
}

/** The slots that a filter finds, beside their leases, of which a scheduler tells. */
export async function lookAtSlots(db: Database, filter: KeyFilter, by: By): Promise<SlotsSeen> {
  const key = filter.key ?? '*';
  await permitInNamespace(db, by, 'read', { action: 'look', subject: { key }, what: `key ${key}` });
  // The leases first: a run that begins in between is then one without a lease, not a lease without a run.
  const leases = await leasesOf(db, filter.key, by);
  const slots = await listKeySlots(db, filter);
  const known = leases instanceof EscapementError ? null : leases;
  return {
    slots: slotViews(slots, known, { cut: slots.length >= filter.limit }),
    leasesUnknown: leases instanceof EscapementError ? leases : null,
  };
}

async function leasesOf(db: Database, key: string | undefined, by: By): Promise<SeenLease[] | EscapementError> {
  try {
    return await listFleetLeases(db, key, by);
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
}

export function unknownKey(key: string): EscapementError {
  return new EscapementError('unknown_key', `no run ever held a key "${key}"`, { fix: 'see `escapement keys list`' });
}
