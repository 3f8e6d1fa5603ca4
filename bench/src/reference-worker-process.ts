import { systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { started } from './children.ts';
import { createTally } from './tally.ts';

export interface ReferenceWorkerInput {
  databaseUrl: string;
  redisUrl: string;
  queue: string;
  prefix: string;
  concurrency: number;
}

const LOCK_MS = 30_000;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

const START = `UPDATE reference_run r SET state = 1, started_at = i.at
FROM unnest($1::bigint[], $2::timestamptz[]) AS i(id, at) WHERE r.id = i.id`;
const FINISH = `UPDATE reference_run r SET state = 2, finished_at = i.at
FROM unnest($1::bigint[], $2::timestamptz[]) AS i(id, at) WHERE r.id = i.id`;

/** Gathers what is written while an earlier write is under way: one statement and one commit for all of it. */
function gathered(db: Database, name: string, text: string): (run: string) => Promise<void> {
  let waiting: { run: string; at: string; done: () => void }[] = [];
  let busy = false;
  async function flush() {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await db.hot.query({ name, text, values: [batch.map(({ run }) => run), batch.map(({ at }) => at)] });
      for (const { done } of batch) done();
    }
    busy = false;
  }
  return (run) =>
    new Promise((done) => {
      waiting.push({ run, at: systemClock.now().toISOString(), done });
      if (busy) return;
      busy = true;
      setImmediate(flush);
    });
}

/** What a team writes by hand: a lock for the key in Redis, and both start and end of a run in Postgres before it goes on. */
const input: ReferenceWorkerInput = JSON.parse(process.argv[2] ?? '{}');
const db = openDatabase({ url: input.databaseUrl, applicationName: 'bench-reference', connections: 2 });
const redis = new Redis(input.redisUrl, { enableAutoPipelining: true });
const tally = createTally();
const start = gathered(db, 'reference_start', START);
const finish = gathered(db, 'reference_finish', FINISH);

const worker = new Worker<{ run: string; key: string }>(
  input.queue,
  async ({ data: { run, key } }) => {
    const lock = `${input.prefix}:lock:${key}`;
    if ((await redis.set(lock, run, 'PX', LOCK_MS, 'NX')) !== 'OK') return;
    await start(run);
    await finish(run);
    await redis.eval(RELEASE, 1, lock, run);
    tally.finished(systemClock.now().getTime());
  },
  { connection: { url: input.redisUrl }, prefix: input.prefix, concurrency: input.concurrency },
);
worker.on('error', () => undefined);
await worker.waitUntilReady();
started(async () => {
  await worker.close();
  redis.disconnect();
  await db.close();
});
