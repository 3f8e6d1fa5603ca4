import { afterFile, asUser, eventually, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { finishRuns, grantPartitions, openDatabase, partitionsWithoutRights } from '../src/index.ts';
import { begun, finishRequest, MINUTE, makeTask, queueRuns } from './ledger.ts';
import { sql } from './migrations.ts';

// Somebody makes a partition by hand, and gives nobody a right on it.

const { url } = await testDatabase();
const open = (user: 'owner' | 'scheduler' | 'worker') =>
  openDatabase({ url: asUser(url, user), applicationName: 'test' });
const [owner, scheduler, worker] = [open('owner'), open('scheduler'), open('worker')];
afterFile(() => Promise.all([owner, scheduler, worker].map((each) => each.close())));

const [week] = (await sql(
  url,
  `SELECT name FROM partitions_of('run') WHERE from_at <= now() - interval '1 minute' AND to_at > now() - interval '1 minute'`,
)) as { name: string }[];
const name = week?.name ?? '';
const revoke = () =>
  sql(url, `REVOKE ALL ON ${name} FROM escapement_scheduler, escapement_worker, escapement_api, escapement_reader`);

test('runs of its week begin and end all the same', async () => {
  const taskId = await makeTask(owner, { name: 'by-hand' });
  const queue = async (key: string) => await queueRuns(owner, [{ taskId, key, ageMs: MINUTE }]);
  const [first, second] = [await queue('one'), await queue('other')];
  // It names the week from then on.
  const [known] = await begun(worker, first);
  await eventually(async () => {
    const { rows } = await worker.hot.query(`SELECT 1 FROM pg_prepared_statements WHERE name = 'begin_runs_${name}'`);
    if (rows.length === 0) await begun(worker, await queue(crypto.randomUUID()));
    expect(rows).toHaveLength(1);
  });
  await revoke();
  const [late] = await begun(worker, second);
  if (!known || !late) throw new Error('no fixture');
  const ends = [known, late].map((run) => ({ ...finishRequest(run), countsFromEnd: false }));
  expect(await finishRuns(worker, ends)).toEqual(['applied', 'applied']);
});

test('a scheduler gives it the rights of its table, and nothing else', async () => {
  await revoke();
  expect(await partitionsWithoutRights(scheduler)).toEqual([name]);
  expect(await grantPartitions(scheduler)).toEqual([{ name, granted: true }]);
  expect(await partitionsWithoutRights(scheduler)).toEqual([]);
  expect(await grantPartitions(scheduler)).toEqual([]);
  await expect(grantPartitions(worker)).rejects.toThrow(/permission denied/);
});

test('one that belongs to somebody else is named, and stays as it is', async () => {
  await revoke();
  await sql(url, `ALTER TABLE ${name} OWNER TO CURRENT_USER`);
  expect(await grantPartitions(scheduler)).toEqual([{ name, granted: false }]);
  expect(await partitionsWithoutRights(scheduler)).toEqual([name]);
  await sql(url, `ALTER TABLE ${name} OWNER TO escapement_owner`);
  expect(await grantPartitions(scheduler)).toEqual([{ name, granted: true }]);
});
