import { MINUTE, SECOND, systemClock } from '@escapement/core';
import { createToken, deleteTask, saveTask, setPool, triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import {
  afterFile,
  asUser,
  built,
  by,
  type Exit,
  eventually,
  type NodeProcess,
  spawnNode,
  testDatabase,
  testRedis,
} from '@escapement/testkit';
import { Queue } from 'bullmq';
import { afterAll, expect, it } from 'vitest';
import { runBin } from '../apps/cli/test/cli.ts';
import { startAutoscaler } from './scaled-pools/autoscaler.ts';

// A pool that an autoscaler starts and stops by what the API says, on real processes.

const START_MS = 45 * SECOND;
const POOL = 'reports';
const EVERY_MS = 20 * SECOND;
/** Longer than a worker takes to start, on a machine with nothing else to do. */
const LEAD_MS = 6 * SECOND;
const POLLING_MS = SECOND / 2;
const COOLDOWN_MS = 2 * SECOND;
const CONCURRENCY = 2;

const { url } = await testDatabase();
const redis = await testRedis();
const db = openDatabase({ url, applicationName: 'test' });
afterFile(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: redis.url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_API_PORT: '0',
  ESCAPEMENT_ALLOW_SHELL: 'true',
  ESCAPEMENT_POOLS: POOL,
  ESCAPEMENT_CONCURRENCY: String(CONCURRENCY),
  ESCAPEMENT_TASKS: built(new URL('./scaled-pools/tasks', import.meta.url)),
};

/** Each with the rights of its role alone. */
const spawn = (app: 'scheduler' | 'worker' | 'api') =>
  spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), {
    env: { ...env, DATABASE_URL: asUser(url, app) },
  });
const [scheduler, api] = [spawn('scheduler'), spawn('api')];
await scheduler.waitForLine('scheduler is running', START_MS);
const apiUrl: string = JSON.parse(await api.waitForLine('the API listens', START_MS)).url;
// Written down before a worker or a task names it: from zero there is nobody else who would.
await setPool(db, POOL, { expectedWorkers: 0 }, by('test'));
const { token } = await createToken(db, { name: 'keda', role: 'viewer' }, by('test'));

async function read(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL(path, apiUrl), { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: await response.json() };
}

async function demand(): Promise<number> {
  const { status, body } = await read(`/v1/pools/${POOL}/demand?leadMs=${LEAD_MS}`);
  expect(status).toBe(200);
  return Number(Object(body).runs);
}

/** How long each worker took to start, and how each ended. */
const coldStartsMs: number[] = [];
const exits: Exit[] = [];

function startWorker() {
  const startedMs = systemClock.monotonicMs();
  const worker: NodeProcess = spawn('worker');
  const running = worker.waitForLine('worker is running', START_MS).then(
    () => coldStartsMs.push(systemClock.monotonicMs() - startedMs),
    // One that is told to end before it runs.
    () => null,
  );
  return {
    async terminate() {
      const exit = await worker.terminate();
      if ((await running) !== null) exits.push(exit);
    },
  };
}

const autoscaler = startAutoscaler({
  ask: demand,
  start: startWorker,
  target: CONCURRENCY,
  most: 3,
  pollingMs: POLLING_MS,
  cooldownMs: COOLDOWN_MS,
});
afterAll(() => autoscaler.stop());

const shell = (command: string) => ({ handler: { type: 'shell' as const, command }, pool: POOL });
const save = (task: Parameters<typeof saveTask>[1]) => saveTask(db, task, { source: 'test', by: by('test') });

interface Ended {
  state: string;
  attempt: number;
  worker: string | null;
  /** From when it was due to its start. */
  lateMs: number;
}

/** The runs of a task, once so many have ended. */
async function endedOf(task: string, count: number, patienceMs: number): Promise<Ended[]> {
  return await eventually(async () => {
    const { rows } = await db.pool.query<Ended & { finished: boolean }>(
      `SELECT r.state, r.attempt, r.worker, (1000 * extract(epoch FROM r.started_at - r.due_at))::float8 AS "lateMs",
         r.finished_at IS NOT NULL AS finished FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 ORDER BY r.due_at`,
      [task],
    );
    const ended = rows.filter(({ finished }) => finished);
    expect(ended.length).toBeGreaterThanOrEqual(count);
    return ended.map(({ finished: _, ...run }) => run);
  }, patienceMs);
}

const atZero = () => eventually(() => expect(autoscaler.count()).toBe(0), COOLDOWN_MS + 10 * SECOND);

/** Once the autoscaler has asked, and a worker has started: what nobody knew beforehand waits so long. */
const latestMs = () => Math.max(...coldStartsMs) + POLLING_MS + 3 * SECOND;

/** What doctor says of workers and pools. */
async function workerProblems(): Promise<unknown[]> {
  const { body } = await read('/v1/doctor');
  const findings: { subject: string; level: string }[] = Object(body).findings ?? Object(body).items;
  return findings.filter(({ subject, level }) => ['Workers', 'Pools'].includes(subject) && level !== 'ok');
}

it('each occurrence has a run, in time, by a worker that was started for it; in between there is none, and nobody complains', {
  timeout: 4 * MINUTE,
}, async () => {
  await save({ name: 'steady', ...shell('true'), schedule: { kind: 'every', everyMs: EVERY_MS } });
  // The first one may be due before a worker can be there.
  const runs = await endedOf('steady', 1, EVERY_MS + START_MS);
  await atZero();
  expect(await workerProblems()).toEqual([]);
  runs.push(...(await endedOf('steady', 3, 3 * EVERY_MS)).slice(runs.length));
  await deleteTask(db, 'steady', by('test'));
  for (const { state, attempt, lateMs } of runs) {
    expect({ state, attempt }).toEqual({ state: 'succeeded', attempt: 1 });
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(latestMs());
  }
  // Unless a worker took longer to start than is allowed for, each run found one, and no other one had that.
  if (latestMs() < LEAD_MS) {
    for (const { lateMs } of runs.slice(1)) expect(lateMs).toBeLessThan(2 * SECOND);
    expect(new Set(runs.map(({ worker }) => worker)).size).toBe(runs.length);
  }
  await atZero();
});

it('a trigger starts a worker, of a task in code too; many start several, and no run is lost where these are told to end', {
  timeout: 4 * MINUTE,
}, async () => {
  await triggerTask(db, 'report', { by: by('test'), payload: 7 });
  const [report] = await endedOf('report', 1, START_MS);
  expect(report).toMatchObject({ state: 'succeeded', attempt: 1 });
  expect(report?.lateMs).toBeLessThan(latestMs());
  await atZero();
  await save({ name: 'burst', ...shell('sleep 1'), overlap: 'allow' });
  for (let n = 0; n < 12; n++) await triggerTask(db, 'burst', { by: by('test') });
  const runs = await endedOf('burst', 12, START_MS);
  expect(runs.map(({ state, attempt }) => ({ state, attempt }))).toEqual(
    Array.from({ length: 12 }, () => ({ state: 'succeeded', attempt: 1 })),
  );
  expect(autoscaler.peak()).toBe(3);
});

it('in the end there is no worker, no demand, and nothing in the queues; each worker has ended as told, and no alert was opened', async () => {
  await atZero();
  expect(await demand()).toBe(0);
  await autoscaler.stop();
  expect(new Set(exits.map(({ code }) => code))).toEqual(new Set([0]));
  for (const name of [`${POOL}+shell`, POOL]) expect(await jobsIn(name)).toBe(0);
  expect((await db.pool.query('SELECT rule, summary FROM alert')).rows).toEqual([]);
  const { code, stdout } = await runBin(['verify-ledger', '--from', '10m'], { env });
  expect({ code, stdout }).toMatchObject({ code: 0 });
});

/** Jobs of a queue in Redis, whatever they wait for. */
async function jobsIn(name: string): Promise<number> {
  const { hostname, port, pathname } = new URL(redis.url);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || '0') };
  const queue = new Queue(name, { prefix: `esc:{default:${name}}`, connection });
  const jobs = await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
  await queue.close();
  return jobs;
}
