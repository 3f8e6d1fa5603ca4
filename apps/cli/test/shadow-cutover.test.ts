import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@escapement/core';
import { listTasks, pingDatabase, readAuditLog } from '@escapement/store';
import { beforeAll, expect, test } from 'vitest';
import { lineFilesOf } from '../src/report/line-files.ts';
import { spoolOf } from '../src/report/spool.ts';
import { cliDatabase, folder, runBin, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const home = await folder();
const own = { ...env, HOME: home.path, XDG_STATE_HOME: '' };
const spool = spoolOf(own);
const files = lineFilesOf(spool.folder);
const lineFiles = files.folder;
const MINUTE = 60_000;

// What cron starts is bundled by another command, not by itself.
beforeAll(async () => void (await runBin(['--version'], { env: {} })));

/** Imports a crontab into the shadow, as if that had been an hour ago; the ids of its lines. */
async function shadowed(source: string, text: string): Promise<string[]> {
  const patched = await runCli(['shadow', 'patch', '-', '--source', source, '--program', 'escapement'], {
    input: text,
  });
  const args = ['import', 'crontab', '-', '--source', source, '--tz', 'UTC', '--shadow', '--write'];
  expect(await runCli(args, { env, input: patched.stdout })).toMatchObject({ code: 0 });
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = now() - interval '2 hours' WHERE source = $1 RETURNING id)
     UPDATE task_plan SET next_run_at = next_run_at - interval '1 hour', plan_seq = plan_seq + 1 FROM t WHERE task_id = t.id`,
    [`crontab:${source}`],
  );
  return [...patched.stdout.matchAll(/--line (\S+)/g)].map(([, id]) => id ?? '');
}

/** cron on a host has started a line so long ago. */
async function started(line: string, agoMs: number, more: object = {}, now = systemClock.now()): Promise<void> {
  const startedAt = new Date(Math.floor((now.getTime() - agoMs) / MINUTE) * MINUTE + 1000);
  files.noteStart(line, startedAt);
  spool.add(`${startedAt.getTime()}-${line}`, {
    ...{ id: randomUUID(), line, host: hostname(), startedAt, endedAt: startedAt },
    ...{ exitCode: 0, signal: null, bootedAt: null, ...more },
  });
}

const send = async () => await runCli(['report', '--send'], { env: own });
const status = async (source: string) => (await runCli(['shadow', 'status', '--source', source], { env })).stdout;
/** Nothing is there that could take reports. */
const report = async (line: string, command: string) => {
  spool.add('first', {});
  spool.remove('first.json');
  spool.release({ failed: true });
  return await runBin(['report', '--line', line, '--', command], { env: { HOME: home.path, XDG_STATE_HOME: '' } });
};

/** Tells `sh` that the fleet has a line, or will have it. */
const mark = (line: string) => join(lineFiles, `${line}.fleet`);

/** What was taken counts already, on both sides. */
async function itIsTime(line: string): Promise<void> {
  const file = join(lineFiles, `${line}.answers.json`);
  const answers: { at: string }[] = JSON.parse(await readFile(file, 'utf8'));
  const earlier = new Date(performance.timeOrigin + performance.now() - MINUTE).toISOString();
  await writeFile(
    file,
    JSON.stringify(answers.map((each, index) => ({ ...each, at: index === answers.length - 1 ? earlier : each.at }))),
  );
  await db.pool.query(`UPDATE cron_cutover SET at = $2 WHERE line = $1 AND state = 'taken' AND at > now()`, [
    line,
    earlier,
  ]);
}

/** For as long as a test lasts. */
async function workerLives(): Promise<void> {
  await db.pool.query(
    `INSERT INTO process (id, role, host, pid, app_version, pools, offers, heartbeat_at)
     VALUES ('w', 'worker', 'h', 1, '1', '{default}', '{shell}', now() + interval '1 hour')`,
  );
}

test('a line goes to the fleet and back; its host answers, and does by its own file what it has answered', async () => {
  const [line = ''] = await shadowed('host1', '* * * * * every-minute\n');
  expect(await report(line, 'echo ran')).toMatchObject({ stdout: 'ran\n' });
  expect((await send()).stdout).toBe('2 reports sent\n');
  const dry = await runCli(['shadow', 'cutover', line, '--dry-run'], { env });
  expect(dry.stdout).toMatch(
    /would be asked of \S+: from \S+ on the fleet runs it\n {4}last by cron at \S+:00Z, first by the fleet at/,
  );
  expect(await send()).toMatchObject({ stdout: '0 reports sent\n' });
  const asked = await runCli(['shadow', 'cutover', line, '--reason', 'enough of cron'], { env });
  expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining('report --send') });
  expect(await status('host1')).toMatch(/waits until \S+ answers the cut-over to fleet at \S+; nothing is held yet/);
  expect(existsSync(mark(line))).toBe(false);
  expect((await send()).stdout).toMatch(/taken: from \S+ on the fleet runs the line\n/);
  expect(existsSync(mark(line))).toBe(true);
  expect((await send()).stdout).toBe('0 reports sent\n');
  expect(await report(line, 'echo ran')).toMatchObject({ stdout: 'ran\n' });
  await itIsTime(line);
  expect(await report(line, 'echo ran')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(spool.read(spool.waiting().at(-1) ?? '')).toMatchObject({ line, leftToFleet: true, exitCode: null });
  await send();
  expect(await status('host1')).toMatch(/ fleet +/);
  expect((await runCli(['tasks', 'list', '--source', 'crontab:host1'], { env })).stdout).toContain('active');

  const patched = await home.write(
    'crontab',
    `HOME=${home.path}\n* * * * * escapement report --line ${line} -- 'every-minute'\n`,
  );
  const unpatch = await runCli(['shadow', 'unpatch', patched, '--source', 'host1'], { env: {} });
  expect(unpatch).toMatchObject({ code: 2, stderr: expect.stringContaining(`escapement shadow back ${line}`) });

  expect(await runCli(['shadow', 'back', line], { env })).toMatchObject({ code: 0 });
  expect((await send()).stdout).toMatch(/taken: from \S+ on cron runs the line/);
  expect(existsSync(mark(line))).toBe(true);
  await itIsTime(line);
  expect(await report(line, 'echo ran')).toMatchObject({ stdout: 'ran\n' });
  expect(existsSync(mark(line))).toBe(false);
  expect((await runCli(['shadow', 'unpatch', patched, '--source', 'host1'], { env: {} })).code).toBe(0);
  const task = (await listTasks(db, { source: 'crontab:host1' }))[0]?.name;
  const allActions = await readAuditLog(db, { subject: `task:${task}`, limit: 20 });
  const actions = allActions.map(({ action }) => action);
  expect(actions.filter((action) => action.includes('cut'))).toEqual([
    'cut over',
    'answer cut-over',
    'cut over',
    'answer cut-over',
  ]);
});

test('files that are lost are made up for by cron, and that is shown', async () => {
  const [line = ''] = await shadowed('host2', '*/5 * * * * sometimes\n');
  await started(line, 6 * MINUTE);
  await report(line, 'true');
  await send();
  expect(await runCli(['shadow', 'cutover', line], { env })).toMatchObject({ code: 0 });
  expect((await send()).stdout).toContain('taken');
  await itIsTime(line);
  for (const name of await readdir(lineFiles)) await rm(join(lineFiles, name));
  expect(await report(line, 'echo ran')).toMatchObject({ stdout: 'ran\n' });
  await send();
  expect(await status('host2')).toContain('the fleet has it, and cron ran it too');
});

test('what cannot change sides is refused with what to do; green ones alone are taken', async () => {
  const [silent = '', green = '', start = ''] = await shadowed(
    'host3',
    '1 * * * * silent\n* * * * * green\n@reboot start\n',
  );
  const { now } = await pingDatabase(db);
  for (const ago of [5, 4, 3, 2, 1]) await started(green, ago * MINUTE, {}, now);
  await started(start, MINUTE, {}, now);
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at, finished_at)
    SELECT gen_random_uuid(), date_trunc('minute', $1::timestamptz) - i * interval '1 min', t.namespace, t.id, 1, 1, 'schedule', 'skipped', 'in the shadow of cron', t.name, 1, 'skip', 'default', now(), now()
    FROM task t, generate_series(1, 5) i WHERE t.name LIKE 'green%'`,
    [now],
  );
  await send();
  const refused = async (...args: string[]) => (await runCli(['shadow', ...args], { env })).stderr;
  expect(await refused('cutover', silent)).toContain('no host has told of a start of it');
  expect(await refused('cutover', start)).toContain('no instant lies between two fires');
  expect(await refused('cutover', `${green.slice(0, 11)}0`)).toContain('no task is of a line');
  expect(await refused('back', green)).toContain('cron has it');
  expect(await refused('cutover')).toContain('the ids of lines are needed');
  expect(await refused('cutover', green, '--at', systemClock.now().toISOString())).toContain('is not heard before');
  expect(await refused('settle', green, '--taken')).toContain('no cut-over that waits');
  expect(await refused('settle', green)).toContain('one of --taken and --refused');
  const unserved = await runCli(['shadow', 'cutover', '--all-green', '--source', 'host3'], { env });
  expect(unserved.stdout).toMatch(
    new RegExp(
      `${green} green\\S*: stays as it is: the fleet could not run it: no worker of the pool "default" is alive`,
    ),
  );
  const named = await runCli(['shadow', 'cutover', green, '--dry-run'], { env });
  expect(named.stdout).toContain(
    'before then: start a worker with ESCAPEMENT_POOLS=default and ESCAPEMENT_ALLOW_SHELL',
  );
  await workerLives();
  const all = await runCli(['shadow', 'cutover', '--all-green', '--source', 'host3'], { env });
  expect(all.stdout).toMatch(new RegExp(`${green} green\\S*: asked of`));
  expect(all.stdout).toMatch(new RegExp(`${silent} silent\\S*: stays as it is: it has agreed 0 times`));
  expect(await refused('cutover', green)).toContain('has a cut-over already');
  const [task] = (await listTasks(db, { source: 'crontab:host3' })).filter(({ name }) => name.startsWith('green'));
  expect((await runCli(['tasks', 'delete', task?.name ?? ''], { env })).stderr).toContain('cannot be deleted');
  expect((await runCli(['shadow', 'settle', green, '--refused'], { env })).stdout).toContain('is settled as refused');
  expect(await status('host3')).toContain('has settled it as refused');
  await send();
  expect(await status('host3')).toContain('has refused the cut-over');
  await started(green, 0, { host: 'another' });
  await send();
  expect(await refused('cutover', green)).toContain('and the fleet would run it once');
});
