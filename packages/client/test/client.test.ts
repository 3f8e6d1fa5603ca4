import { createApi } from '@escapement/api';
import { type Client, createClient, RunFailed } from '@escapement/client';
import { systemClock } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { createToken, saveTask } from '@escapement/operations';
import { createScheduler } from '@escapement/scheduler';
import { defineTask, runTask } from '@escapement/sdk';
import { createLogger } from '@escapement/service';
import { listRuns, openDatabase } from '@escapement/store';
import { asUser, by, testDatabase, testRedis } from '@escapement/testkit';
import { createWorker } from '@escapement/worker';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const add = defineTask({
  name: 'add',
  payload: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => ({ sum: a + b }),
});
const fails = defineTask({
  name: 'fails',
  run: () => {
    throw new Error('no luck');
  },
});
const hangs = defineTask({
  name: 'hangs',
  run: (_, { signal }) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
});
const tasks = new Map([add, fails, hangs].map((task) => [task.name, task]));

const { url } = await testDatabase();
const redis = { url: (await testRedis()).url, namespace: 'default' };
const db = openDatabase({ url, applicationName: 'test' });
const common = {
  db,
  redis,
  clock: systemClock,
  leaseMs: 10_000,
  maxClockOffsetMs: 500,
  emit: () => undefined,
  onError: () => undefined,
};
const about = { host: 'test', pid: 1, appVersion: '0', pools: ['default'] };
const scheduler = createScheduler({
  ...common,
  process: { ...about, id: 'scheduler', role: 'scheduler' },
  horizonMs: 60_000,
});
const worker = createWorker({
  ...common,
  process: { ...about, id: 'worker', name: 'first', role: 'worker', offers: ['shell', 'code'] },
  concurrency: 5,
  handlers: (spec) => (context) => {
    const task = spec.type === 'code' ? tasks.get(spec.name) : undefined;
    return task
      ? runTask(task, context, systemClock)
      : Promise.resolve({ status: 'failed', error: { name: 'E', message: '' } });
  },
});
const api = createApi({
  ...{ db, clock: systemClock, host: '127.0.0.1', port: 0, hosts: [], trustedProxies: [], deadMs: 10_000 },
  log: createLogger({ service: 'api', level: 'error', format: 'json' }),
  ...{
    egress: parseEgress('public'),
    traceUrl: undefined,
    maxClockOffsetMs: 500,
    allowEviction: false,
    defaults: { email: [], webhook: [] },
  },
  ...{ emit: () => undefined, onError: () => undefined, checksAnswers: true },
});
const address = await api.start();
const token = async (name: string, role: 'admin' | 'operator' | 'viewer') =>
  (await createToken(db, { name, role }, by('root'))).token;
const client = createClient({ databaseUrl: asUser(url, 'api'), name: 'shop' });
const overHttp = createClient({ url: address.url, token: await token('shop', 'admin') });
const WAYS: [string, Client][] = [
  ['Postgres', client],
  ['HTTP', overHttp],
];

beforeAll(async () => {
  for (const task of tasks.values()) await saveTask(db, task.toDefinition(), { source: 'code', by: by('test') });
  await saveTask(
    db,
    { name: 'everywhere', runOn: 'every-worker', handler: { type: 'shell', command: 'true' } },
    { source: 'api', by: by('test') },
  );
  await scheduler.start();
  await worker.start();
});

afterAll(async () => {
  await client.close();
  await overHttp.close();
  await api.stop();
  await worker.stop(1000);
  await scheduler.stop();
  await db.close();
});

describe.each(WAYS)('over %s', (_, client) => {
  test('a task is started with a payload that fits, and gives its output', async () => {
    const run = await client.trigger(add, { a: 2 });
    const output = await run.result();
    expectTypeOf(output).toEqualTypeOf<{ sum: number }>();
    expect(output).toEqual({ sum: 3 });
    expect(await run.look()).toMatchObject({ state: 'succeeded', requestedBy: 'shop', payload: { a: 2 } });
  });

  test('a payload that does not fit is refused by the compiler, and before a run is made', async () => {
    // @ts-expect-error: a is a number
    await expect(client.trigger(add, { a: 'two' })).rejects.toThrow('payload.a: Invalid input: expected number');
  });

  test('a run that fails throws with its reason', async () => {
    const run = await client.trigger(fails);
    const failure = await run.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RunFailed);
    expect(failure).toMatchObject({ state: 'failed', runId: run.id, message: expect.stringContaining('no luck') });
  });

  test('a run is cancelled by who started it; an aborted wait leaves it alone', async () => {
    const run = await client.trigger('hangs');
    const stop = new AbortController();
    stop.abort(new Error('waited enough'));
    await expect(run.result({ signal: stop.signal })).rejects.toThrow('waited enough');
    expect(await run.cancel('not needed')).toBe(true);
    await expect(run.result()).rejects.toThrow('is cancelled');
    expect(await run.cancel()).toBe(false);
  });

  test('a run is due when its caller says', async () => {
    const at = new Date(systemClock.now().getTime() + 3000);
    const run = await client.trigger(add, { a: 1 }, { at });
    expect((await run.look()).startedAt).toBe(null);
    await run.result();
    const { startedAt, scheduledFor } = await run.look();
    expect(scheduledFor).toEqual(at);
    expect(startedAt?.getTime()).toBeGreaterThanOrEqual(at.getTime());
  });

  test('a run may have a key of its own', async () => {
    const run = await client.trigger(add, { a: 2 }, { key: 'customer:{{payload.a}}' });
    expect(await run.look()).toMatchObject({ key: 'customer:2', ownKey: true });
    expect(await (await client.trigger(add, { a: 2 })).look()).toMatchObject({ key: 'add', ownKey: false });
    await expect(client.trigger(add, { a: 2 }, { key: '{{payload.c}}' })).rejects.toMatchObject({
      code: 'unknown_key_field',
    });
  });

  test('a task that does not exist is named', async () => {
    await expect(client.trigger('ad')).rejects.toMatchObject({ code: 'unknown_task' });
    await expect(client.run('01941f29-7c00-7000-8000-000000000001').look()).rejects.toMatchObject({
      code: 'unknown_run',
    });
  });

  test('the same key is one run, also at the same moment', async () => {
    const given = { idempotencyKey: crypto.randomUUID() };
    const runs = await Promise.all([1, 2, 3].map(() => client.trigger(add, { a: 3 }, given)));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    await expect(client.trigger(add, { a: 4 }, given)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  test.each(['', 'two words', 'line\n', 'x'.repeat(256)])('%j is no idempotency key', async (idempotencyKey) => {
    await expect(client.trigger(add, { a: 1 }, { idempotencyKey })).rejects.toMatchObject({
      code: 'bad_idempotency_key',
    });
  });

  test.each(['', '00-1-2-01', 'line\n'])('%j is no traceparent', async (traceparent) => {
    await expect(client.trigger(add, { a: 1 }, { traceparent })).rejects.toMatchObject({ code: 'bad_traceparent' });
  });

  test('of a task of every worker one run is refused, and each is given', async () => {
    await expect(client.trigger('everywhere')).rejects.toMatchObject({ code: 'runs_on_every_worker' });
    expect(await client.triggerEach('everywhere')).toHaveLength(1);
  });
});

test('a run in a transaction begins after its commit, a rolled back one never', async () => {
  const shop = new pg.Client({ connectionString: asUser(url, 'api') });
  await shop.connect();
  await shop.query('BEGIN');
  await client.triggerIn(shop, add, { a: 100 });
  await shop.query('ROLLBACK');
  await shop.query('BEGIN');
  // @ts-expect-error: a is a number
  await expect(client.triggerIn(shop, add, { a: 'two' })).rejects.toThrow('payload.a: Invalid input');
  const run = await client.triggerIn(shop, add, { a: 7 });
  await shop.query('COMMIT');
  await shop.end();
  expect(await run.result()).toEqual({ sum: 8 });
  const sums = (await listRuns(db, { taskName: 'add', limit: 100 })).map(({ output }) => output);
  expect(sums).not.toContainEqual({ sum: 101 });
});

test('over HTTP there is no way into a transaction', async () => {
  const shop = new pg.Client({ connectionString: asUser(url, 'api') });
  await expect(overHttp.triggerIn(shop, add, { a: 1 })).rejects.toMatchObject({ code: 'needs_database' });
});

test('a run looks the same over both', async () => {
  const run = await client.trigger(add, { a: 5 });
  await run.result();
  expect(await overHttp.run(run.id).look()).toEqual(await run.look());
});

test('who may not see outputs is told so, and does not take nothing for the output', async () => {
  const run = await client.trigger(add, { a: 6 });
  const viewer = createClient({ url: address.url, token: await token('screen', 'viewer') });
  await expect(viewer.run(run.id).result()).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(viewer.trigger(add, { a: 6 })).rejects.toMatchObject({ code: 'not_allowed', status: 403 });
});
