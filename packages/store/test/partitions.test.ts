import { DAY } from '@escapement/core';
import { afterFile, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { appendLogs, ensurePartitions, finishRuns, openDatabase, partitionedDaysAhead } from '../src/index.ts';
import { ago, begun, finishRequest, MINUTE, makeTask, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const open = () => openDatabase({ url, applicationName: 'test' });
const db = open();
const databases = [db, open(), open(), open()];
afterFile(() => Promise.all(databases.map((each) => each.close())));

async function partitionOfRun(id: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ name: string }>(
    'SELECT tableoid::regclass::text AS name FROM run WHERE id = $1',
    [id],
  );
  return rows[0]?.name;
}

test('a migrated database has partitions for three weeks; doctor is told how far they reach', async () => {
  const days = await partitionedDaysAhead(db);
  // It may have been migrated before midnight.
  expect(days).toBeGreaterThan(20.9);
  expect(days).toBeLessThanOrEqual(28);
});

test('schedulers that start at the same moment make each partition once', async () => {
  for (let week = 0; week < 5; week++) {
    const now = new Date(Date.UTC(2030, 0, 3) + week * 28 * DAY);
    const made = (await Promise.all(databases.map((each) => ensurePartitions(each, now, 21)))).flat();
    expect(made.length).toBeGreaterThan(20);
    expect(new Set(made).size).toBe(made.length);
  }
});

test('an occurrence of a week that has no partition makes it, whoever else does at the same time', async () => {
  const taskIds = await Promise.all(databases.map((each, index) => makeTask(each, { name: `far-${index}` })));
  const ageMs = -3650 * DAY;
  const runs = await Promise.all(
    databases.map((each, index) => queueRuns(each, [{ taskId: taskIds[index] ?? '', key: `far-${index}`, ageMs }])),
  );
  const names = await Promise.all(runs.flat().map(({ runId }) => partitionOfRun(runId)));
  expect(new Set(names).size).toBe(1);
  expect(names[0]).toMatch(/^run_p20\d{6}$/);
});

test('what lies before the oldest week needs no partition of its own, nor do its attempts', async () => {
  const taskId = await makeTask(db, { name: 'long-ago' });
  const [queued] = await queueRuns(db, [{ taskId, key: 'long-ago', ageMs: 1000 * DAY }]);
  if (!queued) throw new Error('no fixture');
  expect(await partitionOfRun(queued.runId)).toBe('run_old');
  const [run] = await begun(db, [queued]);
  if (!run) throw new Error('not begun');
  const again = { to: 'retrying', reason: 'exit code 1', lost: false, uncounted: false } as const;
  const verdict = { ...again, attemptOutcome: 'failed', retryAt: ago(0) } as const;
  expect(await finishRuns(db, [finishRequest(run, verdict)])).toEqual(['applied']);
  const { rows } = await db.pool.query('SELECT FROM attempt_old WHERE run_id = $1', [run.runId]);
  expect(rows).toHaveLength(1);
});

test('the log of a day whose partition is missing makes it', async () => {
  await db.pool.query(`DO $$ DECLARE v_name text; BEGIN
    FOR v_name IN SELECT name FROM partitions_of('run_log_chunk') LOOP EXECUTE 'DROP TABLE ' || v_name; END LOOP; END $$`);
  expect(await partitionedDaysAhead(db)).toBe(0);
  const [run] = await queueRuns(db, [{ taskId: await makeTask(db, { name: 'log' }), key: 'log', ageMs: MINUTE }]);
  await appendLogs(db, [{ runId: run?.runId ?? '', attempt: 1, seq: 1, text: 'x' }]);
  const { rows } = await db.pool.query('SELECT text FROM run_log_chunk');
  expect(rows).toEqual([{ text: 'x' }]);
});
