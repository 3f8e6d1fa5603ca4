import { randomUUID } from 'node:crypto';
import { OVERLAP_RULES, storableText } from '@escapement/core';
import type { Lease } from '@escapement/queue';
import { type BeginRequest, type BeginResult, type BegunRun, isDataFault } from '@escapement/store';
import type { BusyKey } from './busy-key.ts';
import type { Execution, Outcome } from './execution.ts';
import { MAX_EARLY_MS } from './look-up.ts';
import type { RunLedger } from './run-ledger.ts';
import type { Slots } from './take-lease.ts';

/** Times a begin that came too early is asked again. */
const MAX_BEGINS = 5;

export interface BeginParts {
  ledger: Pick<RunLedger, 'begin'>;
  busyKey: BusyKey;
  /** Told of a pool that was found to be paused. */
  onPausedPool: (pool: string) => void;
  workerId: string;
}

/**
 * Begins the run on a slot that is free in the ledger too: a run between its attempts keeps its slot there, but has no
 * lease. The key is busy only when all its slots are.
 */
export async function beginOnFreeSlot(
  execution: Execution,
  slots: Slots,
  parts: BeginParts,
): Promise<BegunRun | Outcome> {
  for (;;) {
    const begun = await begin(execution, slots.lease, parts);
    if (typeof begun === 'string') return begun;
    if (begun.kind === 'begun') {
      parts.busyKey.wakeBehind(execution.run);
      return begun.run;
    }
    if (begun.anySlot || !(await slots.moveOn())) return await parts.busyKey.wait(execution);
  }
}

/** Begins the run in the ledger. */
async function begin(
  execution: Execution,
  lease: Lease | null,
  { ledger, busyKey, workerId, onPausedPool }: BeginParts,
): Promise<Extract<BeginResult, { kind: 'begun' | 'busy' }> | Outcome> {
  const request = requestOf(execution, lease, workerId);
  for (let tries = 0; tries < MAX_BEGINS; tries++) {
    const result = await ledger.begin(request).catch((error) => refusedTwice(request, error, ledger));
    if ('refused' in result)
      return await busyKey.refuse(execution.run, execution.run, { to: 'failed', reason: result.refused });
    switch (result.kind) {
      case 'begun':
      case 'busy':
        return result;
      case 'stale':
      // A scheduler judges it, and queues it anew if it is to run.
      case 'misfire':
        return 'done';
      case 'changed':
        return 'changed';
      case 'pool_paused':
        onPausedPool(result.pool);
        return 'done';
      case 'ended':
        return await busyKey.refuse(execution.run, result.seen, { ...result, to: result.state });
      case 'early':
        if (result.remainingMs > MAX_EARLY_MS) return 'done';
        await new Promise((resolve) => setTimeout(resolve, result.remainingMs + 1));
    }
  }
  return 'done';
}

/** A row that Postgres cannot begin would come back with each new job: its run ends. What was only in its way is so once. */
async function refusedTwice(
  request: BeginRequest,
  error: unknown,
  ledger: BeginParts['ledger'],
): Promise<BeginResult | { refused: string }> {
  if (!isDataFault(error)) throw error;
  return await ledger.begin(request).catch((again) => {
    if (!(again instanceof Error && isDataFault(again))) throw again;
    return { refused: storableText(`Postgres refuses to begin it: ${again.message}`) };
  });
}

function requestOf({ run, dispatch }: Execution, lease: Lease | null, worker: string): BeginRequest {
  const { runId, scheduledFor, key, rated } = run;
  const ordered = lease !== null && run.attempt === 0 && OVERLAP_RULES[run.overlap].ordering === 'oldest-first';
  return {
    runId,
    scheduledFor,
    dispatch,
    beginId: randomUUID(),
    key,
    slot: lease?.slot ?? null,
    worker,
    rated,
    ordered,
  };
}
