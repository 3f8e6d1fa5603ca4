import { type Clock, SECOND } from '@escapement/core';
import { listLeases, type QueueContents, type RedisConnection, type RunQueue, type RunRef } from '@escapement/queue';
import {
  areStale,
  countQueued,
  type Database,
  type DriftFound,
  haveFinished,
  overdueRuns,
  queuedRuns,
} from '@escapement/store';
import { isStuck } from './overdue-runs.ts';
import { toRef } from './put-back.ts';

const LIMIT = 1000;
const PAGE = 2000;
/** A worker may have the job of an overdue run in its hands for a moment. */
const TAKEN_MS = 15 * SECOND;

export interface QueueLook {
  db: Database;
  queue: RunQueue;
  contents: QueueContents;
  /** The Redis that has the leases. */
  leases: RedisConnection;
  clock: Clock;
}

/**
 * Compares all of the queue and the leases with the ledger; changes nothing. A fleet at work always shows some that the
 * next look does not: a row comes before its job. Rejects with `redis_unreachable`.
 */
export async function lookAtQueue(look: QueueLook): Promise<DriftFound[]> {
  return [
    ...(await missingJobs(look)),
    ...(await stuckJobs(look)),
    ...(await extraJobs(look)),
    ...(await deadLeases(look)),
  ];
}

async function missingJobs({ db, queue }: QueueLook): Promise<DriftFound[]> {
  const found: DriftFound[] = [];
  for (let runs = await queuedRuns(db, { after: undefined, limit: PAGE }); ; ) {
    const present = await queue.present(runs.map(toRef));
    found.push(...pick(runs, present, false).map(({ id }): DriftFound => ({ kind: 'missing_job', subject: id })));
    const last = runs.length === PAGE ? runs.at(-1) : undefined;
    if (!last) return found;
    runs = await queuedRuns(db, { after: last, limit: PAGE });
  }
}

async function stuckJobs({ db, contents, clock }: QueueLook): Promise<DriftFound[]> {
  const runs = await overdueRuns(db, { overdueMs: SECOND, limit: LIMIT });
  const places = await contents.places(runs.map(toRef));
  const now = clock.now();
  const stuck = places.map(
    (place) => isStuck(place, now) && !(place.at === 'taken' && now.getTime() - place.since.getTime() < TAKEN_MS),
  );
  return pick(runs, stuck, true).map(({ id }): DriftFound => ({ kind: 'stuck_job', subject: id }));
}

async function extraJobs(look: QueueLook): Promise<DriftFound[]> {
  const found: DriftFound[] = [];
  for (const { pool } of await countQueued(look.db))
    for await (const jobs of jobsOf(pool, look.contents)) {
      const stale = await areStale(look.db, jobs);
      found.push(...pick(jobs, stale, true).map(({ runId }): DriftFound => ({ kind: 'extra_job', subject: runId })));
    }
  return found;
}

async function* jobsOf(pool: string, contents: QueueContents): AsyncGenerator<RunRef[]> {
  let cursor: Parameters<QueueContents['page']>[1];
  do {
    const { jobs, next } = await contents.page(pool, cursor, PAGE);
    if (jobs.length > 0) yield jobs;
    cursor = next;
  } while (cursor);
}

async function deadLeases({ db, leases: connection }: QueueLook): Promise<DriftFound[]> {
  const leases = await listLeases(connection);
  const ended = await haveFinished(
    db,
    leases.map(({ runId }) => runId),
  );
  return pick(leases, ended, true).map(
    ({ key, slot }): DriftFound => ({ kind: 'dead_lease', subject: `${key} slot ${slot}` }),
  );
}

function pick<Item>(items: readonly Item[], answers: readonly boolean[], answer: boolean): Item[] {
  return items.filter((_, index) => answers[index] === answer);
}
