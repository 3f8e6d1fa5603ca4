import { isTerminal, type SeenLease } from '@escapement/core';
import type { KeySlot } from '@escapement/store';

/**
 * How a slot stands in the ledger: `running`, `between attempts`, `reserved` for the next in the wait queue; `ended`: its run has
 * ended, the reconciler empties it; `leased`: free in the ledger, though Redis has a lease.
 */
export type SlotState = 'free' | 'running' | 'between attempts' | 'reserved' | 'ended' | 'leased';

/** A slot of a key as ledger and Redis have it. */
export interface SlotView extends Omit<KeySlot, 'fence'> {
  /** Null: the ledger has never seen the slot in use. */
  fence: bigint | null;
  state: SlotState;
  /** Null: there is none, or Redis does not answer. */
  lease: SeenLease | null;
  /** What does not fit together, for people. */
  remark: string | null;
}

/**
 * Puts the slots of the ledger beside the leases of Redis; `leases` is null where Redis does not answer. With `cut` the
 * ledger has more slots than these, and nothing is said of leases behind the last of them.
 */
export function slotViews(
  slots: readonly KeySlot[],
  leases: readonly SeenLease[] | null,
  { cut }: { cut: boolean } = { cut: false },
): SlotView[] {
  const left = new Map((leases ?? []).map((lease) => [placeOf(lease), lease]));
  const known = slots.map((slot): SlotView => {
    const lease = left.get(placeOf(slot)) ?? null;
    left.delete(placeOf(slot));
    return { ...slot, state: stateOf(slot, lease), lease, remark: remarkOn(slot, lease, leases !== null) };
  });
  const last = cut ? slots.at(-1) : undefined;
  const alone = [...left.values()].filter((lease) => !last || inOrder(lease, last) < 0);
  const strange = alone.map((lease): SlotView => {
    const slot = { key: lease.key, slot: lease.slot, limit: null, holder: null, waiting: 0 };
    return { ...slot, fence: null, state: 'leased', lease, remark: LEASE_ONLY };
  });
  return [...known, ...strange].sort(inOrder);
}

type Place = Pick<KeySlot, 'key' | 'slot'>;

function inOrder(one: Place, other: Place): number {
  if (one.key === other.key) return one.slot - other.slot;
  return one.key < other.key ? -1 : 1;
}

function placeOf({ key, slot }: Place): string {
  return `${slot} ${key}`;
}

function stateOf({ holder }: Pick<KeySlot, 'holder'>, lease: SeenLease | null): SlotState {
  if (!holder) return lease ? 'leased' : 'free';
  if (holder.state === null || isTerminal(holder.state) || holder.state === 'unknown') return 'ended';
  if (holder.state === 'running') return 'running';
  return holder.attempt > 0 ? 'between attempts' : 'reserved';
}

const LEASE_ONLY =
  'a lease without a run in the ledger: one that is just beginning, or left over; it expires by itself';

function remarkOn(slot: KeySlot, lease: SeenLease | null, redisAnswers: boolean): string | null {
  const state = stateOf(slot, lease);
  const { holder } = slot;
  if (state === 'leased') return LEASE_ONLY;
  if (state === 'ended') return 'its run has ended; the reconciler empties the slot within seconds';
  if (holder && lease && lease.runId !== holder.runId) return `the lease is that of run ${lease.runId}`;
  if (state === 'running' && !lease && redisAnswers)
    return 'no lease: Redis lost it, or the worker cannot reach Redis; the slot in Postgres keeps others out';
  return null;
}
