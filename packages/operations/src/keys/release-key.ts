import { type By, EscapementError } from '@escapement/core';
import { type Database, type ReleaseResult, recordAudit, releaseKeySlot } from '@escapement/store';
import { tidyKey } from '../ask-fleet.ts';
import { needsReason } from '../needs-reason.ts';
import { permitInNamespace } from '../rights/permit.ts';
import { lookAtSlots, MOST_SLOTS, unknownKey } from './look-at-slots.ts';
import type { SlotView } from './slot-view.ts';

export interface KeyRelease {
  key: string;
  /** Which slot; undefined: the one that is held. */
  slot: number | undefined;
  /** With a reason. */
  by: By;
}

export interface KeyReleased {
  /** As it was before. */
  slot: SlotView;
  /** What came of it in the ledger; undefined: that knew of nobody, there was only a lease. */
  inLedger: Extract<ReleaseResult, { kind: 'released' }> | undefined;
  leaseDeleted: boolean;
  /** Why Redis does not know yet; null: it does. What is missing there is made up for within seconds. */
  redisError: EscapementError | null;
}

/**
 * Takes a key from the run that holds it: in the ledger at once, in Redis by a scheduler. Throws `unknown_key`, `key_free`,
 * `key_reserved`, `several_slots`, `key_changed`, `no_reason`.
 */
export async function releaseKey(db: Database, release: KeyRelease): Promise<KeyReleased> {
  const { key, by } = release;
  await permitInNamespace(db, by, 'cancel', { action: 'release', subject: { key }, what: `key ${key}` });
  needsReason(by, 'the run that holds the key ends by it');
  const { slots } = await lookAtSlots(db, { key, limit: MOST_SLOTS }, by);
  if (slots.length === 0) throw unknownKey(key);
  const slot = choose(slots, key, release.slot);
  const inLedger = await releaseInLedger(db, slot, release);
  return { slot, inLedger, ...(await notifyRedis(db, slot, inLedger, by)) };
}

async function notifyRedis(
  db: Database,
  { lease }: SlotView,
  inLedger: KeyReleased['inLedger'],
  by: By,
): Promise<Pick<KeyReleased, 'leaseDeleted' | 'redisError'>> {
  const woken = (inLedger?.woken ?? []).map(({ id, queue, dispatch }) => ({ id, queue, dispatch }));
  if (lease === null && woken.length === 0) return { leaseDeleted: false, redisError: null };
  try {
    return { leaseDeleted: await tidyKey(db, { lease, woken }, by), redisError: null };
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return { leaseDeleted: false, redisError: error };
  }
}

/** The one slot that is meant. Throws `key_free`, `key_reserved`, `several_slots`. */
function choose(slots: readonly SlotView[], key: string, slot: number | undefined): SlotView {
  const meant = slots.filter((each) => slot === undefined || each.slot === slot);
  const held = meant.filter(({ state }) => state !== 'free' && state !== 'reserved');
  const [first, ...others] = held;
  const what = `key "${key}"${slot === undefined ? '' : `, slot ${slot},`}`;
  if (others.length > 0)
    throw new EscapementError('several_slots', `${what} has ${held.length} slots that are held`, {
      fix: `say which: ${held.map((each) => `--slot ${each.slot} (run ${each.holder?.runId ?? each.lease?.runId})`).join(', ')}`,
    });
  if (first) return first;
  const reserved = meant.find(({ state }) => state === 'reserved');
  if (reserved)
    throw new EscapementError(
      'key_reserved',
      `${what} is reserved for run ${reserved.holder?.runId}, the next in the wait queue`,
      {
        fix: 'it begins within seconds, or the reservation lapses',
      },
    );
  throw new EscapementError('key_free', `${what} is free: nobody holds it`, {
    fix: 'see `escapement keys list --busy`',
  });
}

/** Undefined: the ledger knows of nobody on the slot, there is only a lease. Throws `key_changed`. */
async function releaseInLedger(
  db: Database,
  { key, slot, holder, fence, lease }: SlotView,
  { by }: KeyRelease,
): Promise<KeyReleased['inLedger']> {
  if (!holder || fence === null) {
    const detail = { slot, run: lease?.runId ?? null, worker: lease?.worker ?? null };
    await recordAudit(db, { key }, { action: 'release', detail, by });
    return undefined;
  }
  const result = await releaseKeySlot(db, { seen: { key, slot, fence, runId: holder.runId }, by });
  if (result.kind === 'released') return result;
  throw new EscapementError('key_changed', `key "${key}" has changed hands meanwhile; nothing was done`, {
    fix: 'look at it again: `escapement keys show`',
  });
}
