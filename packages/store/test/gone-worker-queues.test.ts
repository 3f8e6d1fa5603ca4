import { afterAll, beforeEach, expect, it } from 'vitest';
import { expectedWorkers, goneWorkerQueues, knownQueues, writeHeartbeat } from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const each = await makeTask(one, { name: 'each', pool: 'spread', runOn: 'every-worker' });
const once = await makeTask(one, { name: 'once', pool: 'plain' });
const other = { ...one, namespace: 'other' };
await makeTask(other, { name: 'each', pool: 'plain', runOn: 'every-worker' });

beforeEach(() => one.pool.query('DELETE FROM process'));

/** A life of a worker that was heard so many hours ago last. */
async function life(id: string, name: string, { pools = ['spread'], hoursAgo = 0, offers = [`shell@${name}`] } = {}) {
  await writeHeartbeat(
    one,
    { id, name, role: 'worker', host: 'h', pid: 1, appVersion: '0', pools, offers },
    { activeRuns: [], clockOffsetMs: 0 },
  );
  await one.pool.query(`UPDATE process SET heartbeat_at = now() - $2 * interval '1 hour' WHERE id = $1`, [
    id,
    hoursAgo,
  ]);
}

it('names the queues of a worker that nobody has heard for a day, and of no other', async () => {
  await life('a', 'gone', { hoursAgo: 25 });
  await life('b', 'silent', { hoursAgo: 23 });
  await life('c', 'here');
  expect(await goneWorkerQueues(one)).toEqual(['spread+shell@gone']);
});

it('names a queue once, in however many lives its worker has gone', async () => {
  await life('a', 'gone', { hoursAgo: 25 });
  await life('b', 'gone', { hoursAgo: 48 });
  expect(await goneWorkerQueues(one)).toEqual(['spread+shell@gone']);
});

it('names none of a worker that has come back under its name', async () => {
  await life('a', 'back', { hoursAgo: 25 });
  await life('b', 'back');
  expect(await goneWorkerQueues(one)).toEqual([]);
});

it('names queues of one worker alone, and only of pools in which tasks run on every worker', async () => {
  await life('a', 'gone', {
    hoursAgo: 25,
    pools: ['spread', 'plain'],
    offers: ['shell', 'shell@gone', 'code:app@gone'],
  });
  expect(await goneWorkerQueues(one)).toEqual(['spread+code:app@gone', 'spread+shell@gone']);
});

it('knows the queues that workers serve, those of one worker alone only of pools in which tasks run on every worker', async () => {
  await life('a', 'here', { pools: ['spread', 'plain'], offers: ['shell', 'shell@here'] });
  const known = await knownQueues(one);
  expect(known).toEqual(
    expect.arrayContaining(['plain', 'plain+shell', 'spread', 'spread+shell', 'spread+shell@here']),
  );
  expect(known).not.toContain('plain+shell@here');
});

it('names none of another namespace, nor of a pool in which only tasks of another one run on every worker', async () => {
  await life('a', 'gone', { hoursAgo: 25, pools: ['spread', 'plain'] });
  expect(await goneWorkerQueues(one)).toEqual(['spread+shell@gone']);
  expect(await goneWorkerQueues(other)).toEqual([]);
  await one.pool.query(`UPDATE process SET namespace = 'other'`);
  expect(await goneWorkerQueues(one)).toEqual([]);
  expect(await goneWorkerQueues(other)).toEqual(['plain+shell@gone']);
});

it('a worker of another namespace has not come back under the name of one of this', async () => {
  await life('a', 'gone', { hoursAgo: 25 });
  await life('b', 'gone');
  await one.pool.query(`UPDATE process SET namespace = 'other' WHERE id = 'b'`);
  expect(await goneWorkerQueues(one)).toEqual(['spread+shell@gone']);
});

it('a task expects the workers of its own pool, and none in another namespace, or where it is not there', async () => {
  await life('a', 'in-spread', { offers: ['shell'] });
  await life('b', 'in-plain', { pools: ['plain'], offers: ['shell'] });
  for (const [task, workers] of [
    [each, ['in-spread']],
    [once, ['in-plain']],
  ] as const)
    expect(await expectedWorkers(one, { id: task })).toEqual(workers);
  expect(await expectedWorkers(other, { id: each })).toEqual([]);
  expect(await expectedWorkers(one, { id: '00000000-0000-7000-8000-000000000001' })).toEqual([]);
});
