import { hostname } from 'node:os';
import { pauseTask, saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, overHttp, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const log = async (...args: string[]) => JSON.parse((await run('audit', 'log', ...args, '-o', 'json')).stdout);
/** Over HTTP somebody has made a token before. */
const ofTasks = (entries: { subject: string }[]) => entries.filter(({ subject }) => subject.startsWith('task:'));

for (const name of ['dump', 'mail'])
  await saveTask(db, { name, handler: { type: 'shell', command: 'true' } }, { source: 'test', by: by('test') });
await pauseTask(db, 'dump', null, by('ann@desk', 'new disks'));
await pauseTask(db, 'mail', null, by('bob@desk'));
await run('tasks', 'resume', 'dump');

test('what people did is listed with whom, to what and why, the latest last', async () => {
  const { stdout } = await run('audit', 'log');
  const lines = stdout
    .trim()
    .split('\n')
    .filter((line) => !line.includes(' token:'));
  expect(lines).toHaveLength(6);
  expect(lines[0]).toMatch(/^AT +BY +ACTION +ON +DETAIL +REASON/);
  expect(lines[1]).toMatch(/^\S+Z +test +save +task:dump /);
  expect(lines[3]).toMatch(/^\S+Z +ann@desk +pause +task:dump .*new disks$/);
  expect(lines[5]).toMatch(/ resume +task:dump/);
});

test('filters narrow it down', async () => {
  expect(await log('--on', 'task:dump')).toMatchObject([{ action: 'save' }, { action: 'pause' }, { action: 'resume' }]);
  expect(await log('--by', 'bob@desk')).toMatchObject([
    { subject: 'task:mail', principal: { kind: 'cli', name: 'bob@desk' }, reason: null },
  ]);
  expect(await log('--action', 'pause', '--limit', '1')).toMatchObject([{ subject: 'task:mail' }]);
  expect(await log('--until', '1h')).toEqual([]);
  expect(ofTasks(await log('--since', '1h'))).toHaveLength(5);
  expect((await run('audit', 'log', '--by', 'nobody')).stderr).toBe('nothing matches\n');
  expect((await run('audit', 'log', '--limit', '2')).stderr).toBe('only the last 2; more: --limit, --until\n');
});

test.each(['dump', 'job:dump', 'task:'])('--on %s is refused, with what can be given', async (subject) => {
  const { code, stderr } = await run('audit', 'log', '--on', subject);
  expect([code, stderr]).toEqual([
    2,
    `error: --on is "${subject}"\n  give a kind and a name, such as task:nightly; kinds: task, run, key, pool, worker, list, backfill, calendar, error, request, alert, alerts, alerting, monitor, ledger, namespace, user, token\n`,
  ]);
});

test('nobody changes the record, and nobody takes a young entry out', async () => {
  const refused = /cannot be changed/;
  await expect(db.pool.query("UPDATE audit SET principal_name = 'eve'")).rejects.toThrow(refused);
  await expect(db.pool.query('DELETE FROM audit')).rejects.toThrow(refused);
  expect(ofTasks(await log())).toHaveLength(5);
});

test('an edit is kept with what the task was and became, without secrets', async () => {
  const edit = ['tasks', 'edit', 'mail', '--set', 'handler.env.MAIL_PASSWORD=hunter22', '--reason', 'new server'];
  expect(await run(...edit)).toMatchObject({ code: 0 });
  const [entry] = await log('--on', 'task:mail', '--limit', '1');
  expect(entry).toMatchObject({
    action: 'save',
    reason: 'new server',
    before: { name: 'mail', handler: { command: 'true' } },
    after: { handler: { env: { MAIL_PASSWORD: '***' } } },
    principal: overHttp ? { kind: 'token', name: 'cli-test' } : { kind: 'cli', address: hostname() },
    refused: false,
  });
  expect(entry.before.handler.env).toBeUndefined();
  expect(JSON.stringify(entry)).not.toContain('hunter22');
});

test('ESCAPEMENT_ACTOR says for whom the command acts; who has started it is kept too', async () => {
  // At a server a token acts.
  const { DATABASE_URL, REDIS_URL } = env;
  const actor = { DATABASE_URL, REDIS_URL, ESCAPEMENT_ACTOR: 'deploy of shop' };
  await runCli(['tasks', 'pause', 'mail'], { env: actor });
  const [entry] = await log('--by', 'deploy of shop');
  expect(entry.principal).toMatchObject({ kind: 'cli', name: 'deploy of shop', id: expect.stringContaining('@') });
  expect(await log('--by', entry.principal.id, '--limit', '1')).toMatchObject([{ action: 'pause' }]);
  expect((await run('audit', 'log', '--limit', '1')).stdout).toMatch(/ deploy of shop \(\S+@\S+\) +pause /);
  const bad = await runCli(['tasks', 'resume', 'mail'], { env: { ...actor, ESCAPEMENT_ACTOR: `a\x1b[2J` } });
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('must be 1 to 200 visible characters')]);
});

test('what is still to come is no time to look at', async () => {
  expect(await run('audit', 'log', '--since', '2100-01-01')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('still to come'),
  });
});

test('what was done to alerts is found, and other kinds of things are asked for as well', async () => {
  expect((await run('alerts', 'silence', 'task=dump', '--until', '2h', '--reason', 'new disks')).code).toBe(0);
  expect(await log('--on', 'alerts:task=dump')).toMatchObject([{ action: 'silence', reason: 'new disks' }]);
  for (const kind of ['error', 'alert', 'alerting', 'monitor', 'ledger'])
    expect(await log('--on', `${kind}:none`)).toEqual([]);
});
