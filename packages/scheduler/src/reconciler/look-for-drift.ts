import { type Clock, SECOND } from '@escapement/core';
import { listLeases, type QueueContents, type RedisConnection, type RunQueue } from '@escapement/queue';
import { countQueued, type Database, type DriftFound } from '@escapement/store';
import { findDeadLeases } from './dead-leases.ts';
import { findExtraJobs } from './extra-jobs.ts';
import { findMissingJobs } from './missing-jobs.ts';
import { findOverdueRuns } from './overdue-runs.ts';

const LIMIT = 1000;
/** Overdue runs, those of paused pools too: a report looks once, and may take its time. */
const LOOKED_AT = 1_000_000;
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

async function missingJobs(look: QueueLook): Promise<DriftFound[]> {
  const found: DriftFound[] = [];
  let after: Parameters<typeof findMissingJobs>[1]['after'];
  do {
    const { missing, next } = await findMissingJobs(look, { after, limit: PAGE });
    found.push(...missing.map(({ id }): DriftFound => ({ kind: 'missing_job', subject: id })));
    after = next;
  } while (after);
  return found;
}

async function stuckJobs(look: QueueLook): Promise<DriftFound[]> {
  const { stuck } = await findOverdueRuns(look, { limit: LIMIT, lookAt: LOOKED_AT });
  const now = look.clock.now().getTime();
  return stuck
    .filter(({ place }) => !(place.at === 'taken' && now - place.since.getTime() < TAKEN_MS))
    .map(({ run }) => ({ kind: 'stuck_job', subject: run.id }));
}

async function extraJobs(look: QueueLook): Promise<DriftFound[]> {
  const found: DriftFound[] = [];
  for (const { queue } of await countQueued(look.db)) {
    let from: Parameters<typeof findExtraJobs>[1]['from'];
    do {
      const { extra, next } = await findExtraJobs(look, { queue, from, limit: PAGE });
      found.push(...extra.map(({ runId }): DriftFound => ({ kind: 'extra_job', subject: runId })));
      from = next;
    } while (from);
  }
  return found;
}

async function deadLeases({ db, leases: connection }: QueueLook): Promise<DriftFound[]> {
  const dead = await findDeadLeases(db, await listLeases(connection));
  return dead.map(({ key, slot }) => ({ kind: 'dead_lease', subject: `${key} slot ${slot}` }));
}
