import { fileURLToPath } from 'node:url';
import { saveTask, triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import {
  by,
  type Failpoint,
  type NodeProcess,
  spawnNode,
  testDatabase,
  testRedis,
  type When,
} from '@escapement/testkit';
import { afterAll, expect, it, vi } from 'vitest';

// Each succeeded run has exactly one follower, wherever those die that end it and make that.

const START_MS = 90_000;
const RUNS = 20;
const SETTLE: Failpoint = { module: 'packages/store/src/runs/finish-runs.ts', name: 'finishAndWake' };
const MAKE: Failpoint = { module: 'packages/store/src/followers/make-followers.ts', name: 'makeFollowers' };

const { url } = await testDatabase();
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_ALLOW_SHELL: 'true',
  ESCAPEMENT_LEASE_MS: '3000',
};
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

const save = (name: string, then: { task: string }[] = []) =>
  saveTask(
    db,
    { name, handler: { type: 'shell', argv: ['true'] }, overlap: 'allow', ...(then.length > 0 ? { then } : {}) },
    { source: 'test', by: by('test') },
  );
await save('tail');
await save('head', [{ task: 'tail' }]);

async function start(app: 'scheduler' | 'worker'): Promise<NodeProcess> {
  const main = fileURLToPath(new URL(`../apps/${app}/src/main.ts`, import.meta.url));
  const child = spawnNode(main, { env, inject: { failpoints: [SETTLE, MAKE] } });
  await child.waitForLine(`${app} is running`, START_MS);
  return child;
}

const processes = { scheduler: await start('scheduler'), worker: await start('worker') };
let asked = 0;

async function trigger(): Promise<void> {
  for (let run = 0; run < RUNS; run++) await triggerTask(db, 'head', { by: by('test') });
  asked += RUNS;
}

async function followers() {
  const { rows } = await db.pool.query<{
    heads: number;
    succeeded: number;
    tails: number;
    once: number;
    notes: number;
  }>(
    `SELECT count(DISTINCT h.id)::integer AS heads, count(DISTINCT h.id) FILTER (WHERE h.state = 'succeeded')::integer AS succeeded,
       count(t.id)::integer AS tails, count(DISTINCT t.cause_run_id)::integer AS once,
       (SELECT count(*)::integer FROM followers_outbox) AS notes
     FROM run h JOIN task ht ON ht.id = h.task_id AND ht.name = 'head'
     LEFT JOIN run t ON t.cause_run_id = h.id AND t.state = 'succeeded'`,
  );
  return rows[0];
}

const eachOnce = () =>
  vi.waitFor(
    async () =>
      expect(await followers()).toEqual({ heads: asked, succeeded: asked, tails: asked, once: asked, notes: 0 }),
    { timeout: 90_000, interval: 100 },
  );

async function killAt(role: 'scheduler' | 'worker', point: Failpoint, when: When): Promise<void> {
  const trap = processes[role].arm({ point, when, action: 'exit' });
  if (role === 'worker') await trigger();
  expect(await trap.fired(60_000)).toBe(true);
  await processes[role].exited;
}

it.each<[string, Failpoint, When]>([
  ['after it has ended runs, before it looks what follows', SETTLE, 'after'],
  ['before it makes what follows', MAKE, 'before'],
  ['after it has made that, before it tells the queue', MAKE, 'after'],
])(
  'a worker is killed %s',
  async (_, point, when) => {
    await killAt('worker', point, when);
    processes.worker = await start('worker');
    await eachOnce();
  },
  240_000,
);

it.each<[string, When]>([
  ['before', 'before'],
  ['with its statement under way', 'during'],
])(
  'a scheduler that makes what a worker has left is killed %s',
  async (_, when) => {
    const trap = processes.scheduler.arm({ point: MAKE, when, action: 'exit' });
    await killAt('worker', SETTLE, 'after');
    expect(await trap.fired(60_000)).toBe(true);
    await processes.scheduler.exited;
    processes.scheduler = await start('scheduler');
    processes.worker = await start('worker');
    await eachOnce();
  },
  240_000,
);
