import { randomUUID } from 'node:crypto';
import { type By, releasedReason, scheduledForOf } from '@escapement/core';
import { toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { CANCEL_CHANNEL } from '../runs/cancel-run.ts';
import { toWokenRun, type WokenJson, type WokenRun } from '../runs/woken-run.ts';
import type { KeySlot } from './read-keys.ts';

export interface ReleaseRequest {
  /** The slot as it was seen: if it has another run or fence by now, nothing is done. */
  seen: Pick<KeySlot, 'key' | 'slot' | 'fence'> & { runId: string };
  /** With a reason. */
  by: By;
}

export type ReleaseResult =
  /**
   * `fence`: what the slot has now; no result under an older one is accepted. `cancelled`: whether its run was ended
   * (else it was over already). `woken`: runs of the wait queue that are to be added to the queue.
   */
  | { kind: 'released'; fence: bigint; cancelled: boolean; woken: WokenRun[] }
  /** Somebody else has released, ended or taken it meanwhile. */
  | { kind: 'changed' };

/**
 * Takes a slot from the run that holds it, whatever that run is doing: its fence is raised, so that the old holder's
 * result is refused, the run ends as cancelled with the person's reason, and the next in the wait queue gets the slot; all in one
 * transaction. The worker is told to stop by a hint.
 */
export async function releaseKeySlot(db: Database, { seen, by }: ReleaseRequest): Promise<ReleaseResult> {
  const { key, slot, fence, runId } = seen;
  const [row] = await query<{ fence: bigint | null; cancelled: boolean; woken: WokenJson[] }>(
    db.pool,
    'release_key_slot',
    RELEASE_KEY_SLOT,
    [
      db.namespace,
      key,
      slot,
      runId,
      scheduledForOf(runId).toISOString(),
      fence.toString(),
      randomUUID(),
      releasedReason(by, key),
      toActing(by),
      CANCEL_CHANNEL,
    ],
  );
  if (!row || row.fence === null) return { kind: 'changed' };
  return { kind: 'released', fence: row.fence, cancelled: row.cancelled, woken: row.woken.map(toWokenRun) };
}

const RELEASE_KEY_SLOT = `SELECT fence, cancelled, woken FROM release_key_slot($1, $2, $3::integer, $4::uuid,
  $5::timestamptz, $6::bigint, $7::uuid, $8, $9::jsonb, $10)`;
