import type { Clock, Emit } from '@escapement/core';
import type { Tracing } from '@escapement/core/traces';
import type { Enqueue } from '@escapement/operations';
import type { RunConsumer, RunQueue } from '@escapement/queue';
import { errorsOf, type OnError } from '@escapement/service';
import type { Database, Definitions, DispatchableRun } from '@escapement/store';
import { createBatchWatch } from './batches/batch-watch.ts';
import { createCalls } from './calls/calls.ts';
import { createPassDelays } from './execute/pass-on.ts';
import { createRateWatch } from './execute/rate-watch.ts';
import { createOwnFollowers } from './own-followers.ts';

export interface FollowingParts {
  db: Database;
  queue: RunQueue;
  /** Executes a run that has no job, if there is a place for it. */
  takeWithoutJob: RunConsumer['takeWithoutJob'];
  definitions: Definitions;
  mayPersist: () => boolean;
  tracing: Tracing;
  clock: Clock;
  emit: Emit;
  onError: OnError;
}

/** What a run may want of others: what follows it made, its batch carried on, its handler's questions answered. */
export function createFollowing(parts: FollowingParts) {
  const { db, queue, takeWithoutJob, definitions, mayPersist, tracing, onError } = parts;
  const enqueue = enqueuer(queue, { reported: parts });
  const wake = waker(queue, takeWithoutJob);
  const batches = createBatchWatch({ db, enqueue, onError: errorsOf('batches', onError) });
  const following = { ...parts, enqueue, onError: errorsOf('followers-outbox', onError) };
  return {
    wake,
    passDelays: createPassDelays(),
    enqueueLater: (runs: readonly DispatchableRun[], delayMs: number) => enqueuer(queue, { delayMs })(runs),
    rates: createRateWatch({ db, wake, onError: errorsOf('rate watch', onError) }),
    batches,
    followers: createOwnFollowers(following),
    calls: createCalls({ db, definitions, batches, tracing, mayPersist }),
  };
}

/** Runs whose turn has come begin here where a place is free: the way by the queue takes longer than all the rest. */
function waker(queue: RunQueue, takeWithoutJob: FollowingParts['takeWithoutJob']): Enqueue {
  const enqueue = enqueuer(queue, { first: true });
  return (runs) =>
    enqueue(runs.filter(({ id: runId, queue: name, dispatch }) => !takeWithoutJob({ runId, queue: name, dispatch })));
}

interface Enqueueing {
  first?: boolean;
  delayMs?: number;
  /** Told of new runs; of others somebody has told when they were new. */
  reported?: Pick<FollowingParts, 'clock' | 'emit'>;
}

function enqueuer(queue: RunQueue, { first = false, delayMs = 0, reported }: Enqueueing = {}): Enqueue {
  return async (runs) => {
    if (runs.length === 0) return;
    const startedMs = reported?.clock.monotonicMs() ?? 0;
    const results = await queue.add(
      runs.map(({ id: runId, queue: name, dispatch }) => ({ runId, queue: name, dispatch, delayMs, first })),
    );
    const jobs = reported ? runs.filter((_, index) => results[index]?.ok) : [];
    if (!reported || jobs.length === 0) return;
    const tookMs = Math.round(reported.clock.monotonicMs() - startedMs);
    reported.emit({ event: 'dispatched', runs: jobs.length, jobs, tookMs });
  };
}
