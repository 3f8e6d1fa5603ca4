import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { openDatabase } from '@escapement/store';
import { afterFile, testDatabase } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { joinOrLeave, requirePair } from '../src/joined-fleet.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterFile(() => db.close());

const joinCommand = 'npm run dev -- --join';
const said: string[] = [];
const log = (line: string) => void said.push(line);
const alone = { join: false, joinCommand, log, patienceMs: 0, confirm: undefined };

/** A pid that no process has. */
const GONE = 2 ** 22 + 1;

beforeEach(async () => {
  said.length = 0;
  await db.pool.query('TRUNCATE process');
});

async function heardOf({ host = 'prod-1', pid = 12, ageMs = 0, namespace = 'billing', stopped = false } = {}) {
  await db.pool.query(
    `INSERT INTO process (id, namespace, role, host, pid, app_version, heartbeat_at, stopped_at)
     VALUES ($1, $2, 'worker', $3, $4, '1', now() - $5 * interval '1 ms', CASE WHEN $6 THEN now() END)`,
    [`worker-${host}-${pid}`, namespace, host, pid, ageMs, stopped],
  );
}

test.each([
  [{ DATABASE_URL: 'postgres://db/x' }, /^DATABASE_URL is set and REDIS_URL is not/],
  [{ REDIS_URL: 'redis://r' }, /^REDIS_URL is set and DATABASE_URL is not/],
  [{ DATABASE_URL: 'postgres://db/x', REDIS_URL: '' }, /^DATABASE_URL is set and REDIS_URL is not/],
])('half a pair of servers is refused: %j', (env, words) => {
  expect(() => requirePair(env)).toThrow(
    expect.objectContaining({ code: 'half_a_pair', message: expect.stringMatching(words) }),
  );
});

test.each([{}, { DATABASE_URL: '', REDIS_URL: '' }, { DATABASE_URL: 'postgres://db/x', REDIS_URL: 'redis://r' }])(
  'both servers or none are taken: %j',
  (env) => {
    expect(() => requirePair(env)).not.toThrow();
  },
);

test('a fleet at work in any namespace is not joined without a yes, and the refusal names it and the way', async () => {
  await heardOf();
  await expect(joinOrLeave(url, alone)).rejects.toMatchObject({
    code: 'fleet_at_work',
    message: '1 program works on this database already: worker 12 on prod-1 (billing)',
    fix: expect.stringContaining(joinCommand),
  });
});

test('a person at a terminal is asked, and only a yes joins', async () => {
  await heardOf();
  await heardOf({ pid: 13 });
  const asked: string[] = [];
  const answer = (yes: boolean) => ({
    ...alone,
    confirm: async (question: string) => {
      asked.push(question);
      return yes;
    },
  });
  await expect(joinOrLeave(url, answer(false))).rejects.toMatchObject({ code: 'fleet_at_work' });
  await joinOrLeave(url, answer(true));
  expect(asked[0]).toMatch(/^2 programs work on this database already: .*Shall this join them/);
});

test('who has said to join is told whom it joins', async () => {
  await heardOf();
  await joinOrLeave(url, { ...alone, join: true });
  expect(said).toEqual([expect.stringContaining('worker 12 on prod-1')]);
});

test.each([
  ['has shut down', { stopped: true }],
  ['has been silent for the lease time', { ageMs: 11_000 }],
  ['was killed on this host a moment ago', { host: hostname(), pid: GONE }],
])('a program that %s is no fleet', async (_title, program) => {
  await heardOf(program);
  await joinOrLeave(url, alone);
});

test('a program of a dev that was killed has the time to end', async () => {
  const child = spawn(process.execPath, ['-e', "process.stdin.once('data', () => process.exit())"]);
  await heardOf({ host: hostname(), pid: child.pid ?? 0 });
  const joined = joinOrLeave(url, { ...alone, patienceMs: 60_000 });
  child.stdin.write('end');
  await joined;
});

test('a program of this host that runs on is a fleet', async () => {
  await heardOf({ host: hostname(), pid: process.pid });
  await expect(joinOrLeave(url, alone)).rejects.toMatchObject({ code: 'fleet_at_work' });
});

test('a database that is still to be made, and one without tables, has no fleet', async () => {
  for (const name of ['not_there', 'postgres'])
    await joinOrLeave(Object.assign(new URL(url), { pathname: `/${name}` }).href, alone);
});
