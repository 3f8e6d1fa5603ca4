import { randomUUID } from 'node:crypto';
import { afterFile, lockRows, testDatabase } from '@escapement/testkit';
import pg from 'pg';
import { expect, it } from 'vitest';
import { beginRuns, type Database, finishRuns, lookUpRuns, markQueued, openDatabase } from '../src/index.ts';
import { commonPartition } from '../src/partitions/known-partitions.ts';
import { beginRequest, begun, finishRequest, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const LOCK_NOT_AVAILABLE = '55P03';

const { url } = await testDatabase();

/** One connection for all hot statements: what it does first is not prepared yet, what it does next is. */
async function setUp() {
  const db = openDatabase({ url, applicationName: 'test', connections: 1 });
  afterFile(() => db.close());
  const name = `order-${randomUUID()}`;
  const taskId = await makeTask(db, { name });
  const wanted = Array.from({ length: 3 }, (_, n) => ({ taskId, key: `${name}-${n}`, ageMs: 60_000 + n * 1000 }));
  const runs = await queueRuns(db, wanted);
  let week = commonPartition(db, runs);
  // It is read behind the back of whoever asks.
  while (week === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    week = commonPartition(db, runs);
  }
  return { db, runs, week };
}

/** What somebody gets who alters the ledger: all of it first, then its partitions. */
async function ledgerIsHeld(): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN; LOCK TABLE ONLY run IN ACCESS EXCLUSIVE MODE NOWAIT');
    return false;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return true;
    throw error;
  } finally {
    await client.end();
  }
}

type Statement = (db: Database, run: QueuedFixture) => Promise<() => Promise<unknown>>;

const STATEMENTS: Record<string, Statement> = {
  'a look-up': async (db, run) => () => lookUpRuns(db, [run]),
  'a note that runs are queued': async (db, run) => () => markQueued(db, [{ ...run, id: run.runId }]),
  'a begin': async (db, run) => () => beginRuns(db, [beginRequest(run)]),
  'a begin under a rate': async (db, run) => () => beginRuns(db, [{ ...beginRequest(run), rated: true }]),
  'a plain end': async (db, run) => {
    const [one] = await begun(db, [run]);
    if (!one) throw new Error('not begun');
    return () => finishRuns(db, [{ ...finishRequest(one), countsFromEnd: false }]);
  },
};

// Two who lock in opposite orders wait for each other until Postgres ends one of them, and all behind them wait as long.
it.for(Object.entries(STATEMENTS))(
  '%s locks the ledger before its partition, as whoever alters it does',
  async ([, prepare]) => {
    const { db, runs, week } = await setUp();
    for (const [n, run] of runs.entries()) {
      const statement = await prepare(db, run);
      const held = await lockRows(url, `LOCK TABLE ONLY ${pg.escapeIdentifier(week)} IN ACCESS EXCLUSIVE MODE`);
      const answer = statement();
      await held.awaited();
      const isHeld = await ledgerIsHeld();
      await held.release();
      await answer;
      expect(isHeld, `call ${n + 1}`).toBe(true);
    }
  },
);
