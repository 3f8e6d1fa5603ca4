import { HOUR } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { afterAll, expect, it } from 'vitest';
import { taskStats } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';
import { addRun, after, countedTask, FIRST, rollUps, UNTIL } from './rolled-up.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

await rollUps(one);
await countedTask(one, 'counted');
await countedTask(one, 'counted-beside');

const statsOf = async (name: string, since: Date) => (await taskStats(one, { name, since }))[0];

it.each([
  ['from the middle of an hour', after(FIRST, -HOUR / 2), { succeeded: 2 + 4, notRun: 2 + 4 + 32 + 64 }],
  ['from a full hour', FIRST, { succeeded: 2 + 4, notRun: 32 + 64 }],
  ['from where nothing is rolled up', UNTIL, { succeeded: 0, notRun: 32 + 64 }],
  ['from an hour before', after(FIRST, -HOUR), { succeeded: 1 + 2 + 4, notRun: 32 + 64 }],
])(
  'whole hours that are rolled up are counted there, what is before and after them in the ledger: %s',
  async (_, since, counted) => {
    const ended = counted.succeeded + counted.notRun;
    expect(await statsOf('counted', since)).toMatchObject({ ...counted, count: ended, failed: 0, open: 0 });
  },
);

it('where nothing is rolled up, all is counted in the ledger', async () => {
  const until = await one.pool.query('DELETE FROM roll_up WHERE namespace = $1 RETURNING rolled_until', [
    one.namespace,
  ]);
  expect(await statsOf('counted', FIRST)).toMatchObject({ succeeded: 0, notRun: 8 + 16 + 32 + 64 });
  await one.pool.query('INSERT INTO roll_up (namespace, rolled_until) VALUES ($1, $2)', [
    one.namespace,
    until.rows[0]?.rolled_until,
  ]);
});

const AT = ago(10 * MINUTE);

it.each([
  ['succeeded', { state: 'succeeded', tookMs: 1000 }, { succeeded: 1 }, true],
  ['failed', { state: 'failed', tookMs: 1000 }, { failed: 1 }, true],
  ['timed out', { state: 'timed_out', tookMs: 1000 }, { failed: 1 }, true],
  ['was quarantined', { state: 'quarantined', tookMs: 1000 }, { failed: 1 }, true],
  ['failed before it began', { state: 'failed' }, { failed: 1 }, false],
  ['was skipped by its handler', { state: 'skipped', tookMs: 1000 }, { notRun: 1 }, false],
  ['was cancelled while it ran', { state: 'cancelled', tookMs: 1000 }, { notRun: 1 }, false],
  ['was missed', { state: 'missed', occurrences: 7 }, { notRun: 7, count: 7 }, false],
  ['was superseded', { state: 'superseded' }, { notRun: 1 }, false],
  [
    'was resolved by a person',
    { state: 'succeeded', tookMs: 1000, reason: 'resolved as succeeded by ann' },
    { succeeded: 1 },
    false,
  ],
  ['has not ended', { state: 'queued' }, { open: 1 }, false],
] as const)('a run that %s', async (why, run, counted, isTimed) => {
  const name = why.replaceAll(' ', '-');
  await addRun(one, await makeTask(one, { name }), { at: AT, ...run });
  const stats = await statsOf(name, ago(HOUR));
  expect(stats).toMatchObject({ count: 1, succeeded: 0, failed: 0, notRun: 0, open: 0, ...counted });
  if (isTimed) expect(stats?.p50Ms).toBeCloseTo(1000, -2);
  else expect(stats?.p50Ms).toBeNull();
});

it('the last error is of the latest run that failed, of the task', async () => {
  const [id, beside] = [await makeTask(one, { name: 'errors' }), await makeTask(one, { name: 'errors-beside' })];
  await addRun(one, id, { at: after(AT, -2), state: 'failed' });
  const last = await addRun(one, id, { at: after(AT, -1), state: 'quarantined' });
  await addRun(one, id, { at: AT, state: 'succeeded' });
  await addRun(one, beside, { at: AT, state: 'failed' });
  expect(await statsOf('errors', ago(HOUR))).toMatchObject({
    lastError: { runId: last, state: 'quarantined', at: after(AT, -1) },
  });
});

it('all tasks are told by name, or those of a name or of labels; none that is deleted, nor of another namespace', async () => {
  for (const name of ['b', 'a']) await makeTask(one, { name: `chosen-${name}`, labels: { team: `team-${name}` } });
  const deleted = await makeTask(one, { name: 'chosen-c', labels: { team: 'team-a' } });
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [deleted]);
  const names = async (asked: Partial<Parameters<typeof taskStats>[1]> = {}, db = one) =>
    (await taskStats(db, { since: ago(HOUR), ...asked })).map(({ name }) => name);
  const all = await names();
  expect(all).toEqual(all.toSorted());
  expect(all.filter((name) => name.startsWith('chosen'))).toEqual(['chosen-a', 'chosen-b']);
  expect(await names({ name: 'chosen-b' })).toEqual(['chosen-b']);
  expect(await names({ labels: parseSelector('team=team-a') })).toEqual(['chosen-a']);
  expect(await names({ name: 'chosen-b', labels: parseSelector('team=team-a') })).toEqual([]);
  expect(await names({}, other)).toEqual([]);
});
