import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { type BegunRun, finishRuns, openDatabase } from '../src/index.ts';
import { begun, finishRequest, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

/** Those that are due within some seconds are planned before the first of them begins, so that their rows fill pages together. */
const RUNS = 1000;
/** Of one statement. */
const BATCH = 50;

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test', connections: 1 });
afterAll(() => db.close());

/** Changes of rows of the ledger so far, and how many of them made no entry in any index. */
async function changes(): Promise<{ all: number; heapOnly: number }> {
  // A session tells what it has done once a second, unless it is made to.
  await db.hot.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ all: number; heapOnly: number }>(
    `SELECT sum(n_tup_upd)::integer AS all, sum(n_tup_hot_upd)::integer AS "heapOnly" FROM pg_stat_user_tables WHERE relname ~ '^run_(p\\d+|old)$'`,
  );
  return rows[0] ?? { all: 0, heapOnly: 0 };
}

async function changesBy(act: () => Promise<void>): Promise<{ all: number; heapOnly: number }> {
  const before = await changes();
  await act();
  const after = await changes();
  return { all: after.all - before.all, heapOnly: after.heapOnly - before.heapOnly };
}

const batchesOf = <Row>(rows: readonly Row[]) =>
  Array.from({ length: rows.length / BATCH }, (_, at) => rows.slice(at * BATCH, (at + 1) * BATCH));

test('the begins of a crowd make no entry in any index, and their ends do', async () => {
  const taskId = await makeTask(db, { name: 'crowd' });
  const runs: QueuedFixture[] = await queueRuns(
    db,
    Array.from({ length: RUNS }, (_, index) => ({ taskId, key: `crowd-${index}`, ageMs: MINUTE + RUNS - index })),
  );
  const open: BegunRun[] = [];
  const begins = await changesBy(async () => {
    for (const batch of batchesOf(runs)) open.push(...(await begun(db, batch)));
  });
  expect(begins).toEqual({ all: RUNS, heapOnly: RUNS });
  const ends = await changesBy(async () => {
    for (const batch of batchesOf(open))
      await finishRuns(
        db,
        batch.map((run) => ({ ...finishRequest(run), countsFromEnd: false })),
      );
  });
  expect(ends).toEqual({ all: RUNS, heapOnly: 0 });
});

test('each partition of the ledger keeps room for begins, those of weeks to come and of all before the first too', async () => {
  await db.pool.query(`SELECT make_partition('run', now() + interval '100 days')`);
  const { rows } = await db.pool.query<{ name: string; options: string[] | null }>(
    `SELECT c.relname AS name, c.reloptions AS options FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'run'::regclass`,
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(({ options }) => !options?.includes('fillfactor=40'))).toEqual([]);
});
