import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { afterFile, by, eventually, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { runBin } from '../apps/cli/test/cli.ts';

// Conditions that come true on a fleet of real processes, and what a receiver hears of them.

const START_MS = 45_000;
const HEARD_MS = 30_000;

interface Heard {
  id: string;
  alerts: { state: string; rule: string; summary: string; labels: Record<string, string>; logTail: string | null }[];
}

const heard: Heard[] = [];
/** What the receiver answers; while it is 503, nobody is told. */
let answer = 200;
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  response.writeHead(answer).end();
  if (answer === 200) heard.push(JSON.parse(body));
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
afterFile(() => void receiver.close());
const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterFile(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_ALLOW_SHELL: 'true',
  ESCAPEMENT_EGRESS: 'loopback',
  ESCAPEMENT_RECEIVER_HOOK: hook,
};
const cli = async (args: string[], input?: string) =>
  await runBin(args, { env, ...(input === undefined ? {} : { input }) });

const shell = (command: string) => ({ schedule: { kind: 'manual' }, handler: { type: 'shell', command } });
const TASKS = [
  { name: 'broken', ...shell('echo about to fail; test -e /nowhere') },
  { name: 'late', pool: 'nobody', ...shell('true') },
  { name: 'slow', ...shell('sleep 60') },
  { name: 'empty', ...shell('true') },
  { name: 'old', ...shell('true') },
];
const DOCUMENT = {
  rules: [
    { name: 'failed', when: { kind: 'failed' }, severity: 'critical' },
    { name: 'late', when: { kind: 'late', afterMs: 10_000 } },
    { name: 'no-worker', when: { kind: 'no-worker' } },
    { name: 'slow', when: { kind: 'slow', afterMs: 1000 } },
    { name: 'silent', when: { kind: 'silent', afterMs: 5000 } },
    { name: 'empty', when: { kind: 'suspicious', minLogBytes: 1 }, on: { task: 'empty' } },
    { name: 'old', when: { kind: 'no-success', forMs: 60_000 }, on: { task: 'old' } },
  ],
  receivers: { hook: { type: 'webhook', url: { secret: 'HOOK' } } },
  routes: [{ receivers: ['hook'], groupBy: ['rule', 'task', 'pool'], groupWaitMs: 0, groupIntervalMs: 0 }],
};

async function startApp(app: 'scheduler' | 'worker') {
  const process = spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), { env });
  await process.waitForLine(`${app} is running`, START_MS);
  return process;
}

expect(await cli(['apply', '-f', '-'], JSON.stringify(TASKS))).toMatchObject({ code: 0 });
expect(await cli(['alerts', 'set', '-'], JSON.stringify(DOCUMENT))).toMatchObject({ code: 0 });
await db.pool.query(`UPDATE task SET created_at = now() - interval '2 min' WHERE name = 'old'`);
const [scheduler] = await Promise.all([startApp('scheduler'), startApp('worker')]);

const told = (rule: string, state: string) =>
  heard.flatMap(({ alerts }) => alerts).filter((alert) => alert.rule === rule && alert.state === state);
const words = () => heard.flatMap(({ alerts }) => alerts.map(({ rule, state }) => `${rule} ${state}`));
const hears = async (rule: string, state: string) =>
  await eventually(async () => {
    const { rows } = await db.pool.query('SELECT rule, state, tell, muted FROM alert');
    expect({ heard: words(), rows }).toMatchObject({ heard: expect.arrayContaining([`${rule} ${state}`]) });
  }, HEARD_MS);
const trigger = (task: string) => triggerTask(db, task, { by: by('test') });

it('each condition is told when it comes true, and when it is over', { timeout: 120_000 }, async () => {
  const late = await trigger('late');
  const slow = await trigger('slow');
  for (const task of ['broken', 'empty']) await trigger(task);
  for (const rule of ['failed', 'no-worker', 'slow', 'silent', 'empty', 'old']) await hears(rule, 'firing');
  expect(told('failed', 'firing')).toMatchObject([
    { summary: 'broken failed', labels: { task: 'broken', severity: 'critical' }, logTail: 'about to fail' },
  ]);
  // Nothing of a pool without a worker is told beside that.
  await eventually(
    async () => expect((await cli(['alerts', 'list'])).stdout).toMatch(/firing, not told.*late is late/),
    HEARD_MS,
  );
  expect(told('late', 'firing')).toEqual([]);

  await cli(
    ['apply', '-f', '-'],
    JSON.stringify([
      { name: 'broken', ...shell('true') },
      { name: 'empty', ...shell('echo rows') },
    ]),
  );
  for (const id of [late, slow]) await cli(['runs', 'cancel', id]);
  for (const task of ['broken', 'empty', 'old']) await trigger(task);
  for (const rule of ['failed', 'no-worker', 'slow', 'silent', 'empty', 'old']) await hears(rule, 'resolved');
  expect((await cli(['alerts', 'list'])).stderr).toContain('nothing is wrong');
  const marked = await db.pool.query(
    "SELECT r.state FROM run_mark m JOIN run r ON r.id = m.run_id WHERE m.rule = 'empty'",
  );
  expect(marked.rows).toEqual([{ state: 'succeeded' }]);
});

it('a scheduler that is killed before it could tell: the next one tells, once', { timeout: 120_000 }, async () => {
  heard.length = 0;
  answer = 503;
  await cli(['apply', '-f', '-'], JSON.stringify([TASKS[0]]));
  await trigger('broken');
  const open = async () =>
    (await db.pool.query("SELECT FROM alert WHERE rule = 'failed' AND state = 'firing'")).rowCount;
  await eventually(async () => expect(await open()).toBe(1), HEARD_MS);
  await scheduler.kill();
  answer = 200;
  // What it had in hand becomes due again after minutes.
  await db.pool.query("UPDATE delivery SET try_at = now() WHERE state = 'pending'");
  await db.pool.query("UPDATE cluster_lock SET held_until = now(), taken_at = '-infinity' WHERE name = 'alerts'");
  await startApp('scheduler');
  await hears('failed', 'firing');
  await cli(['apply', '-f', '-'], JSON.stringify([{ name: 'broken', ...shell('true') }]));
  await trigger('broken');
  await hears('failed', 'resolved');
  expect(told('failed', 'firing')).toHaveLength(1);
});
