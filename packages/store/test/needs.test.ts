import { codeNeed, newRunId, queueName, systemClock } from '@escapement/core';
import { by } from '@escapement/testkit';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import {
  knownQueues,
  passOnRun,
  placeCodeTasks,
  registerDeployment,
  triggerRun,
  unservedQueues,
  unservedTask,
  writeHeartbeat,
} from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const FLEET = { deadMs: 10_000 };

async function needOf(name: string): Promise<string | null> {
  const { rows } = await one.pool.query<{ need: string | null }>('SELECT need FROM task WHERE name = $1', [name]);
  return rows[0]?.need ?? null;
}

const code = (name: string) => makeTask(one, { name, handler: { type: 'code', name } });

/** A deployment of an application with these tasks. */
async function deployed(app: string, tasks: readonly string[]): Promise<string> {
  return await registerDeployment(one, {
    app,
    release: null,
    fingerprint: `${app} ${tasks.join()}`,
    whole: true,
    tasks: Object.fromEntries(tasks.map((name) => [name, 'print'])),
  });
}

async function worker(id: string, more: { pools?: string[]; offers?: string[]; deploymentId?: string } = {}) {
  const info = { id, role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['default'], ...more } as const;
  await writeHeartbeat(one, info, { activeRuns: [], clockOffsetMs: 0 });
}

async function triggered(taskId: string, key: string) {
  const scheduledFor = systemClock.now();
  const id = newRunId(scheduledFor);
  await triggerRun(one, { id, scheduledFor, taskId, key, origin: 'trigger', payload: undefined, by: by('test') });
  return { runId: id, scheduledFor };
}

async function runOf(runId: string) {
  const { rows } = await one.pool.query('SELECT state, need, dispatch FROM run WHERE id = $1', [runId]);
  return rows[0];
}

it('a queue and the need of code have the same names in SQL and in TypeScript', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.option(fc.string()), async (text, need) => {
      const app = text.replaceAll('\0', '');
      const asked = need?.replaceAll('\0', '') ?? null;
      const { rows } = await one.pool.query(
        `SELECT 'code.' || left(md5($1::text), 12) AS code, queue_of('pool', $2::text) AS queue`,
        [app, asked],
      );
      expect(rows).toEqual([{ code: codeNeed(app), queue: queueName('pool', asked) }]);
    }),
    { numRuns: 100 },
  );
});

it('what a run needs follows from the handler of its task', async () => {
  await makeTask(one, { name: 'line' });
  await makeTask(one, { name: 'ping', handler: { type: 'http', url: 'http://localhost' } });
  const taskId = await code('nobody-has-it');
  expect([await needOf('line'), await needOf('ping'), await needOf('nobody-has-it')]).toEqual(['shell', null, 'code']);
  const run = await triggered(taskId, 'nobody-has-it');
  expect(await runOf(run.runId)).toMatchObject({ need: 'code' });
  expect(await knownQueues(one)).toEqual(expect.arrayContaining(['default', 'default+shell', 'default+code']));
});

it('code is that of the application that a living worker has, then that of its owner, then the latest; what is open moves along', async () => {
  const taskId = await code('report');
  const run = await triggered(taskId, 'report');
  await one.pool.query(`UPDATE run SET state = 'queued', dispatch = 1 WHERE id = $1`, [run.runId]);
  const shop = await deployed('shop', ['report']);
  expect(await placeCodeTasks(one, shop, { all: true })).toEqual({ tasks: 1, runs: 1 });
  expect(await needOf('report')).toBe(codeNeed('shop'));
  // Its old job begins nothing, and its new one goes to the queue of the application.
  expect(await runOf(run.runId)).toEqual({ state: 'queued', need: codeNeed('shop'), dispatch: 2 });
  expect(await placeCodeTasks(one, shop, { all: true })).toEqual({ tasks: 0, runs: 0 });

  const later = await deployed('billing', ['report']);
  await placeCodeTasks(one, later, { all: false });
  expect(await needOf('report')).toBe(codeNeed('billing'));
  expect(await knownQueues(one)).toEqual(
    expect.arrayContaining([queueName('default', codeNeed('shop')), queueName('default', codeNeed('billing'))]),
  );
  await worker('of-shop', { offers: [codeNeed('shop')], deploymentId: shop });
  await placeCodeTasks(one, later, { all: false });
  expect(await needOf('report')).toBe(codeNeed('shop'));
  await worker('of-billing', { offers: [codeNeed('billing')], deploymentId: later });
  await one.pool.query(`UPDATE task SET deployment_id = $1 WHERE name = 'report'`, [shop]);
  await placeCodeTasks(one, later, { all: false });
  expect(await needOf('report')).toBe(codeNeed('shop'));
});

it('a run that no living worker has the code of rests, and goes on once one has; no job of before begins it', async () => {
  const shop = await deployed('rests', ['rests']);
  const run = await triggered(await code('rests'), 'rests');
  expect(await runOf(run.runId)).toMatchObject({ need: codeNeed('rests') });
  expect(await passOnRun(one, { ...run, dispatch: 1, rests: false })).toMatchObject([
    { id: run.runId, dispatch: 2, queue: `default+${codeNeed('rests')}` },
  ]);
  expect(await passOnRun(one, { ...run, dispatch: 1, rests: false })).toEqual([]);
  expect(await passOnRun(one, { ...run, dispatch: 2, rests: true })).toMatchObject([
    { dispatch: 3, queue: 'default+code' },
  ]);
  expect(await placeCodeTasks(one, shop, { all: false })).toEqual({ tasks: 0, runs: 0 });
  expect(await placeCodeTasks(one, shop, { all: true })).toEqual({ tasks: 0, runs: 1 });
  expect(await runOf(run.runId)).toEqual({ state: 'queued', need: codeNeed('rests'), dispatch: 4 });
});

it('says what tasks need that no living worker has, who lacks it and who has it elsewhere', async () => {
  await makeTask(one, { name: 'dump', pool: 'db1' });
  expect(await unservedTask(one, 'dump', FLEET)).toMatchObject({ pool: 'db1', need: 'shell', workers: [], others: [] });
  await worker('bare', { pools: ['db1'] });
  await worker('able', { pools: ['db2', 'db3'], offers: ['shell'] });
  expect(await unservedTask(one, 'dump', FLEET)).toEqual({
    pool: 'db1',
    need: 'shell',
    app: null,
    workers: ['bare'],
    drained: [],
    others: [{ id: 'able', pools: ['db2', 'db3'] }],
    tasks: 1,
    examples: ['dump'],
  });
  expect((await unservedQueues(one, FLEET)).map(({ pool, need }) => queueName(pool, need))).toContain('db1+shell');
  await worker('both', { pools: ['db1'], offers: ['shell'] });
  expect(await unservedTask(one, 'dump', FLEET)).toBeNull();
  await one.pool.query(`UPDATE process SET stopped_at = now() WHERE id = 'both'`);
  expect(await unservedTask(one, 'dump', FLEET)).not.toBeNull();
});

it('a task whose worker could not load its module waits for its code, and its application is known', async () => {
  for (const name of ['sound', 'broken']) await code(name);
  const [whole, lacking] = [
    await deployed('shop/broken', ['sound', 'broken']),
    await deployed('shop/broken', ['sound']),
  ];
  await one.pool.query(
    `UPDATE task SET source = 'code', deployment_id = $1::bigint WHERE name IN ('sound', 'broken')`,
    [whole],
  );
  await placeCodeTasks(one, whole, { all: true });
  await worker('halved', { pools: ['default'], offers: [(await needOf('broken')) ?? ''], deploymentId: lacking });
  expect(await unservedTask(one, 'sound', FLEET)).toBeNull();
  expect(await unservedTask(one, 'broken', FLEET)).toMatchObject({
    need: 'code',
    app: 'shop/broken',
    workers: expect.arrayContaining(['halved']),
  });
});
