import { type Clock, EscapementError, type FleetAnswer, type FleetRequest, fleetRequest } from '@escapement/core';
import { deleteLease, listLeases, type QueueContents, type RedisConnection, type RunQueue } from '@escapement/queue';
import type { Database } from '@escapement/store';
import { lookAtQueue } from '../reconciler/look-for-drift.ts';

/** What a scheduler needs to carry out requests. */
export interface RequestMeans {
  db: Database;
  queue: RunQueue;
  contents: QueueContents;
  /** The Redis that has the leases. */
  leases: RedisConnection;
  clock: Clock;
}

/** Carries out what somebody has asked for. Throws `unknown_request` for what another version asks. */
export async function carryOut(asked: unknown, means: RequestMeans): Promise<FleetAnswer> {
  const { data: request } = fleetRequest.safeParse(asked);
  if (!request)
    throw new EscapementError('unknown_request', 'the scheduler does not know this request', {
      fix: 'use a command line and schedulers of the same version',
    });
  switch (request.kind) {
    case 'list_leases':
      return await listLeases(means.leases, request.key ?? undefined);
    case 'compare_queue':
      return await lookAtQueue(means);
    case 'tidy_key':
      return await tidyKey(request, means);
  }
}

async function tidyKey(
  { lease, woken }: Extract<FleetRequest, { kind: 'tidy_key' }>,
  { queue, leases }: RequestMeans,
): Promise<boolean> {
  const ended = lease !== null && (await deleteLease(leases, lease));
  await queue.add(woken.map(({ id: runId, pool, dispatch }) => ({ runId, pool, dispatch, delayMs: 0 })));
  return ended;
}
