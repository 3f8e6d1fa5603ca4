import { DAY, HOUR } from '@escapement/core';
import { afterFile, asUser, beginWeeksAt, testDatabase } from '@escapement/testkit';
import type { PoolClient } from 'pg';
import { expect, test } from 'vitest';
import {
  dropOldPartitions,
  ensurePartitions,
  finishRuns,
  openDatabase,
  type PrunedBatch,
  pruneRuns,
} from '../src/index.ts';
import { ago, begun, finishRequest, makeTask, queueRuns } from './ledger.ts';

/** A database that has been at work for 80 days, with its partitions. A scheduler makes them. */
const aged = await testDatabase();
await beginWeeksAt(aged.url, ago(80 * DAY));
const maker = openDatabase({ url: asUser(aged.url, 'scheduler'), applicationName: 'maker' });
await ensurePartitions(maker, ago(80 * DAY), 80);
await maker.close();

/** A copy of it, and hot statements that wait for no lock for longer than 50 ms. */
async function oldLedger() {
  const { url } = await testDatabase({ copyOf: aged });
  const owner = openDatabase({ url, applicationName: 'test' });
  // What a scheduler may do is enough.
  const db = openDatabase({ url: asUser(url, 'scheduler'), applicationName: 'scheduler' });
  const hot = openDatabase({ url, applicationName: 'hot', lockTimeoutMs: 50 });
  afterFile(() => Promise.all([owner.close(), db.close(), hot.close()]));
  return { db, hot, owner };
}

type Ledger = Awaited<ReturnType<typeof oldLedger>>;

/** Plans, begins and ends runs of these ages, one after the other. */
async function ran({ hot }: Ledger, taskId: string, key: string, ages: readonly number[]): Promise<void> {
  for (const ageMs of ages) {
    const runs = await begun(hot, await queueRuns(hot, [{ taskId, key, ageMs }]));
    expect(
      await finishRuns(
        hot,
        runs.map((run) => finishRequest(run)),
      ),
    ).toEqual(['applied']);
  }
}

async function partitions({ db }: Ledger, table: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>('SELECT name FROM partitions_of($1)', [table]);
  return rows.map(({ name }) => name);
}

/** As `pg_dump` does: it holds each table, and its partitions, until it ends. */
async function openReader({ db }: Ledger): Promise<PoolClient> {
  const reader = await db.pool.connect();
  await reader.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  for (const table of ['run', 'attempt', 'task_hour', 'run_log_chunk'])
    await reader.query(`SELECT count(*) FROM ${table}`);
  return reader;
}

async function endReader(reader: PoolClient): Promise<void> {
  await reader.query('COMMIT');
  reader.release();
}

/** Old rows count as ended just now; here they have ended when they were due. */
async function endedWhenDue({ owner }: Ledger): Promise<void> {
  await owner.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final;
    UPDATE run SET finished_at = scheduled_for WHERE finished_at IS NOT NULL;
    ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
}

test('while somebody reads the ledger, partitions are made and none is dropped, and no begin or end waits', async () => {
  const ledger = await oldLedger();
  const taskId = await makeTask(ledger.db, { name: 'busy' });
  await ran(ledger, taskId, 'busy', [70 * DAY, 60 * DAY]);
  await endedWhenDue(ledger);
  const reader = await openReader(ledger);
  const before = await partitions(ledger, 'run');
  let over = false;
  const maintenance = (async () => {
    const made = await ensurePartitions(ledger.db, ago(-100 * DAY), 21);
    const drops = [];
    for (let pass = 0; pass < 2; pass++) drops.push(await dropOldPartitions(ledger.db));
    return { made, drops };
  })().finally(() => {
    over = true;
  });
  let runs = 0;
  // Each is due later than the one before, however fast they are: an instant has one occurrence.
  for (; !over || runs < 5; runs++) await ran(ledger, taskId, 'busy', [HOUR - 10 * runs]);
  const { made, drops } = await maintenance;
  expect(made.length).toBeGreaterThan(20);
  expect(drops.every(({ names, waiting }) => names.length === 0 && waiting)).toBe(true);
  expect(await partitions(ledger, 'run')).toEqual(expect.arrayContaining(before));

  await endReader(reader);
  const { names, waiting } = await dropOldPartitions(ledger.db);
  expect(waiting).toBe(false);
  expect(names).toEqual(expect.arrayContaining(before.filter((name) => name.startsWith('run_p')).slice(0, 6)));
});

test('a drop that meets a reader who came after its look gives up, and holds nobody up for long', async () => {
  const ledger = await oldLedger();
  const reader = await openReader(ledger);
  const [, oldest] = await partitions(ledger, 'run');
  const taking = ledger.db.pool.query(`SELECT take_partition_out('run', $1, '{}')`, [oldest]);
  const refused = expect(taking).rejects.toMatchObject({ code: '55P03' });
  // 30 ms, and what a busy machine makes of them.
  for (let reads = 0; reads < 20; reads++)
    await ledger.db.pool.query(`BEGIN; SET LOCAL lock_timeout = '1s'; SELECT FROM run LIMIT 1; COMMIT`);
  await refused;
  await endReader(reader);
  expect(await partitions(ledger, 'run')).toContain(oldest);
});

test('what is worth keeping goes to what is older than all weeks, with its attempts, and tells nobody anew', async () => {
  const ledger = await oldLedger();
  const { db } = ledger;
  const taskId = await makeTask(db, { name: 'seldom', onSkip: 'seldom' });
  await ran(ledger, taskId, 'seldom', [70 * DAY, 62 * DAY]);
  await endedWhenDue(ledger);
  const open = await makeTask(db, { name: 'open' });
  const [going] = await begun(db, await queueRuns(db, [{ taskId: open, key: 'open', ageMs: 66 * DAY }]));
  if (!going) throw new Error('not begun');
  const retry = {
    to: 'retrying',
    reason: 'exit code 1',
    lost: false,
    uncounted: false,
    attemptOutcome: 'failed',
  } as const;
  await finishRuns(db, [finishRequest(going, { ...retry, retryAt: ago(0) })]);
  // One that was skipped, and ended lately.
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap,
       pool, due_at, finished_at)
     SELECT gen_random_uuid(), scheduled_for, namespace, task_id, task_version, plan_epoch, 'trigger', 'skipped', 'x', key, key_limit,
       overlap, pool, due_at, now() FROM run WHERE task_id = $1`,
    [taskId],
  );
  await db.pool.query('DELETE FROM followers_outbox');
  const { waiting } = await dropOldPartitions(db);
  expect(waiting).toBe(false);
  const { rows } = await db.pool.query(
    'SELECT t.name, r.state, r.tableoid::regclass::text AS place FROM run r JOIN task t ON t.id = r.task_id ORDER BY 1, 2',
  );
  expect(rows).toEqual([
    { name: 'open', state: 'retrying', place: 'run_old' },
    { name: 'seldom', state: 'skipped', place: 'run_old' },
    { name: 'seldom', state: 'skipped', place: 'run_old' },
    { name: 'seldom', state: 'succeeded', place: 'run_old' },
  ]);
  expect((await db.pool.query('SELECT run_id FROM attempt_old')).rows).toEqual([{ run_id: going.runId }]);
  expect((await db.pool.query('SELECT FROM followers_outbox')).rows).toEqual([]);
});

test('a pass that was killed after a week was taken out is ended by the next one', async () => {
  const ledger = await oldLedger();
  const taskId = await makeTask(ledger.db, { name: 'cut-off' });
  // In the oldest week, whatever day it is: younger by a day it is in the next one on a Saturday.
  await ran(ledger, taskId, 'cut-off', [80 * DAY]);
  const [, oldest] = await partitions(ledger, 'run');
  await ledger.db.pool.query(`SELECT take_partition_out('run', $1, '{}')`, [oldest]);
  expect((await ledger.db.pool.query('SELECT FROM run')).rows).toEqual([]);
  expect((await dropOldPartitions(ledger.db)).names).toContain(oldest);
  const { rows } = await ledger.db.pool.query('SELECT state, tableoid::regclass::text AS place FROM run');
  expect(rows).toEqual([{ state: 'succeeded', place: 'run_old' }]);
});

test('two schedulers that drop at once do not get into each other’s way', async () => {
  const ledger = await oldLedger();
  const both = await Promise.all([dropOldPartitions(ledger.db), dropOldPartitions(ledger.hot)]);
  const names = both.flatMap((each) => each.names);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(40);
});

test('runs of the longest retention are left to the drop of their week, others are deleted one by one', async () => {
  const ledger = await oldLedger();
  const usual = await makeTask(ledger.db, { name: 'usual' });
  const short = await makeTask(ledger.db, { name: 'short', retentionDays: 5 });
  await ran(ledger, usual, 'usual', [70 * DAY, 60 * DAY, 1 * DAY]);
  await ran(ledger, short, 'short', [70 * DAY, 9 * DAY, 1 * DAY]);
  await endedWhenDue(ledger);
  expect(await pruneRuns(ledger.db, { after: null, limit: 100 })).toEqual({ gone: 2, after: null, more: false });
  const { names } = await dropOldPartitions(ledger.db);
  expect(names.filter((name) => name.startsWith('run_p')).length).toBeGreaterThan(5);
  expect((await ledger.db.pool.query('SELECT FROM run')).rows).toHaveLength(2);
});

test('runs are pruned batch after batch, of a few tasks each, until no task is left', async () => {
  const ledger = await oldLedger();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const id = await makeTask(ledger.db, { name, retentionDays: 5 });
    await ran(ledger, id, name, [9 * DAY, 8 * DAY, 7 * DAY, 1 * DAY]);
    ids.push(id);
  }
  await endedWhenDue(ledger);
  const batches: PrunedBatch[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const batch: PrunedBatch = await pruneRuns(ledger.db, { after, limit: 4, tasks: 2 });
    batches.push(batch);
    ({ after, more } = batch);
  }
  // Two tasks have six: four, and in the next batch of the same tasks two.
  expect(batches.map(({ gone }) => gone)).toEqual([4, 2, 4, 2, 3]);
  const [, second, , fourth] = ids.toSorted();
  expect(batches.map(({ after }) => after)).toEqual([null, second, second, fourth, null]);
  expect((await ledger.db.pool.query('SELECT FROM run')).rows).toHaveLength(ids.length);
});

test('a partition is not dropped while it belongs to its table', async () => {
  const ledger = await oldLedger();
  const [oldest] = (await partitions(ledger, 'run')).filter((name) => /_p[0-9]{8}$/.test(name)).sort();
  const drop = ledger.db.pool.query('SELECT drop_partition($1, $2)', ['run', oldest]);
  await expect(drop).rejects.toThrow(`'${oldest}' is no partition of 'run' that may go`);
  expect(await partitions(ledger, 'run')).toContain(oldest);
});
