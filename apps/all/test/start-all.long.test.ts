import { fileURLToPath } from 'node:url';
import { triggerTask } from '@escapement/operations';
import { freePort } from '@escapement/servers';
import { openDatabase, ROLE_PREFIX } from '@escapement/store';
import { afterFile, built, by, eventually, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';

// `escapement start all`: scheduler, worker and API in one process, by a user of Postgres that has their roles and no more.

const cli = fileURLToPath(new URL('../../cli/bin/escapement.js', import.meta.url));
const START_MS = 60_000;
const RUNNING = ['scheduler', 'worker', 'api'].map((role) => `${role} is running`);
const { url } = await testDatabase();
const redis = await testRedis();
const db = openDatabase({ url, applicationName: 'test' });
afterFile(() => db.close());

async function ofOneHost(): Promise<string> {
  const user = `one_host_${new URL(url).pathname.slice(1)}`;
  const roles = ['scheduler', 'worker', 'api'].map((role) => ROLE_PREFIX + role).join(', ');
  await db.pool.query(`CREATE ROLE ${user} LOGIN NOSUPERUSER PASSWORD 'of-a-test' IN ROLE ${roles}`);
  afterFile(() => db.pool.query(`DROP ROLE ${user}`));
  return Object.assign(new URL(url), { username: user, password: 'of-a-test' }).href;
}

const env = {
  DATABASE_URL: await ofOneHost(),
  REDIS_URL: redis.url,
  ESCAPEMENT_API_PORT: '0',
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_ALLOW_INLINE: 'true',
  ESCAPEMENT_TASKS: built(new URL('../../worker/test/tasks', import.meta.url)),
  ...(process.getuid ? { ESCAPEMENT_RUN_AS: String(process.getuid()) } : {}),
};
const start = (more: Record<string, string> = {}) =>
  spawnNode(cli, { args: ['start', 'all'], env: { ...env, ...more } });

async function ended(task: string, payload?: string): Promise<string> {
  const id = await triggerTask(db, task, { by: by('test'), ...(payload === undefined ? {} : { payload }) });
  return await eventually(async () => {
    const { rows } = await db.pool.query<{ state: string }>(
      'SELECT state FROM run WHERE id = $1 AND finished_at IS NOT NULL',
      [id],
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.state ?? '';
  }, START_MS);
}

test('one process plans, runs and answers; an error of a run that nobody caught is its own; SIGTERM ends all of it well', async () => {
  const all = start();
  for (const line of RUNNING) await all.waitForLine(line, START_MS);
  const { rows } = await db.pool.query('SELECT role, pid FROM process WHERE stopped_at IS NULL ORDER BY role');
  expect(rows).toEqual(['scheduler', 'worker'].map((role) => ({ role, pid: all.pid })));
  expect(await ended('good')).toBe('succeeded');
  for (const way of ['leaves a rejection alone', 'calls process.exit'])
    expect(await ended('bad-inline', way)).toBe('failed');
  const { url: api } = z.object({ url: z.string() }).parse(JSON.parse(await all.waitForLine('the API listens')));
  expect((await fetch(`${api}/v1/me`)).status).toBe(401);
  expect(await all.terminate()).toEqual({ code: 0, signal: null });
  expect(all.lines.filter((line) => line.includes('error that nobody caught'))).toEqual([]);
  expect(all.lines.filter((line) => line.includes('"stopped"'))).toHaveLength(3);
});

test('where one of them cannot start, none stays: the process says why and ends', async () => {
  const port = String(await freePort(20_000));
  const first = start({ ESCAPEMENT_API_PORT: port });
  for (const line of RUNNING) await first.waitForLine(line, START_MS);
  const second = start({ ESCAPEMENT_API_PORT: port });
  const { code } = await second.exited;
  expect(code).not.toBe(0);
  expect(second.lines.join('\n')).toContain(port);
  await first.terminate();
});

test('a configuration that cannot be read is refused before anything starts', async () => {
  const { code } = await start({ ESCAPEMENT_HEALTH_PORT: 'nine' }).exited;
  expect(code).toBe(2);
});

test('each program is started by its name; what is none is refused', async () => {
  const worker = spawnNode(cli, { args: ['start', 'worker'], env });
  await worker.waitForLine('worker is running', START_MS);
  expect((await worker.terminate()).code).toBe(0);
  const other = spawnNode(cli, { args: ['start', 'planner'], env });
  expect([(await other.exited).code, other.lines.join('\n')]).toEqual([
    2,
    expect.stringContaining('"planner" is no program'),
  ]);
});
