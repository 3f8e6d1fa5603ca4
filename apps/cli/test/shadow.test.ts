import { randomUUID } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listTasks } from '@escapement/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spoolOf } from '../src/report/spool.ts';
import { cliDatabase, folder, runBin, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const home = await folder();
const own = { ...env, HOME: home.path, XDG_STATE_HOME: '' };
const spool = spoolOf(own);
const PROGRAM = ['--program', 'escapement'];
const HOUR = 3_600_000;
const LINE = '0123456789ab';

// Nobody sends in the background what a test looks at.
beforeEach(() => {
  spool.add('first', {});
  spool.release({ failed: true });
  spool.remove('first.json');
});

afterEach(() => {
  for (const name of spool.waiting()) spool.remove(name);
});

/** As cron has it. A bash whose input is a socket may read the user's own .bashrc. */
const CRON = { SHELL: '/bin/sh' };

const waiting = () => spool.waiting().map((name) => spool.read(name) as Record<string, unknown>);
const reported = async (words: string[], input = '') => {
  // Nothing is there that could take reports.
  const ran = await runBin(['report', '--line', LINE, '--', ...words], {
    env: { ...CRON, HOME: home.path, XDG_STATE_HOME: '' },
    input,
  });
  return { ...ran, told: waiting() };
};

describe('a command that is reported', () => {
  test('has the input, output and exit code that it would have, and says nothing of it', async () => {
    const { told, ...ran } = await reported(['cat; echo "$HOME" >&2; exit 3'], 'Dear Ann,\n50% off\n');
    expect(ran).toEqual({ code: 3, stdout: 'Dear Ann,\n50% off\n', stderr: `${home.path}\n` });
    expect(told).toMatchObject([
      { line: LINE, endedAt: null, exitCode: null },
      { line: LINE, endedAt: expect.any(String), exitCode: 3, signal: null },
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
  });

  test('of several words is a program with arguments, and one that is not there ends as in a shell', async () => {
    expect(await reported(['printf', '%s|', 'a b', '$HOME'])).toMatchObject({ code: 0, stdout: 'a b|$HOME|' });
    expect(await reported(['no-such-program', 'x'])).toMatchObject({ code: 127, stdout: '' });
  });

  test('that a signal ends, ends by it', async () => {
    const { code, told } = await reported(['kill -KILL $$']);
    expect(code).toBeNull();
    expect(told.at(-1)).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('runs where nothing can be kept', async () => {
    const file = await home.write('no-folder', '');
    const ran = await runBin(['report', '--line', LINE, '--', 'echo ran'], {
      env: { ...CRON, HOME: file, XDG_STATE_HOME: '' },
    });
    expect(ran).toEqual({ code: 0, stdout: 'ran\n', stderr: '' });
  });

  test('is refused where there is none, or no id', async () => {
    expect(await runCli(['report', '--line', LINE], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a command are needed'),
    });
  });
});

test('a file is patched and taken back as a whole, with its owner and mode; what is there already changes nothing', async () => {
  const text = '# nightly\n0 1 * * * one | two\n0 0 31 2 * never\n';
  const file = await home.write('backup.cron', text);
  await chmod(file, 0o640);
  const patched = await runCli(['shadow', 'patch', file, ...PROGRAM], { env: {} });
  expect(patched).toMatchObject({ code: 0, stdout: expect.stringContaining('line 3: left as it is') });
  expect(await readFile(file, 'utf8')).toMatch(
    /^# nightly\n0 1 \* \* \* \/bin\/sh -c '[^']*' escapement report --line [0-9a-f]{12} -- 'one \| two'\n0 0 31/,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect((await runCli(['shadow', 'patch', file, ...PROGRAM], { env: {} })).stdout).toContain('was patched already');
  expect((await runCli(['shadow', 'unpatch', file], { env: {} })).stdout).toContain('as it was before: 1 line');
  expect(await readFile(file, 'utf8')).toBe(text);
  expect((await runCli(['shadow', 'unpatch', file], { env: {} })).stdout).toContain('was not patched');
});

test('a crontab of a pipe goes through, and back', async () => {
  const text = '* * * * * date +\\%H\n';
  const { stdout } = await runCli(['shadow', 'patch', '-', '--source', 'web1', ...PROGRAM], { env: {}, input: text });
  expect(stdout).toContain(" -- 'date +\\%H'\n");
  expect(await runCli(['shadow', 'unpatch', '-', '--source', 'web1'], { env: {}, input: stdout })).toMatchObject({
    code: 0,
    stdout: text,
  });
});

test('what cannot be read, or was changed, is refused with what to do, and stays', async () => {
  const missing = await runCli(['shadow', 'patch', join(home.path, 'missing'), ...PROGRAM], { env: {} });
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/missing cannot be read: ENOENT\n {2}name a file/),
  });
  const file = await home.write('edited.cron', '0 1 * * * one\n');
  await runCli(['shadow', 'patch', file, ...PROGRAM], { env: {} });
  const edited = (await readFile(file, 'utf8')).replace('0 1', '0 2');
  await home.write('edited.cron', edited);
  const refused = await runCli(['shadow', 'unpatch', file], { env: {} });
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: line 1: changed since it was patched/),
  });
  expect(await readFile(file, 'utf8')).toBe(edited);
});

test('a crontab goes into the shadow; what its host tells is compared with what was planned', async () => {
  const text = '7 * * * * hourly\n@reboot start\n';
  const patched = await runCli(['shadow', 'patch', '-', '--source', 'host1', ...PROGRAM], { env: {}, input: text });
  const load = async (...more: string[]) =>
    await runCli(['import', 'crontab', '-', '--source', 'host1', '--tz', 'UTC', '--write', ...more], {
      env,
      input: patched.stdout,
    });
  expect(await load('--shadow')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 created') });
  // Without a word of it a later import leaves it there.
  expect((await load()).stdout).toContain('2 unchanged');
  const tasks = await listTasks(db, { source: 'crontab:host1' });
  const ids = [...patched.stdout.matchAll(/--line (\S+)/g)].map(([, id]) => id);
  expect(tasks.map(({ definition }) => definition.shadow?.line).sort()).toEqual(ids.toSorted());
  expect((await runCli(['tasks', 'list', '--source', 'crontab:host1'], { env })).stdout).toMatch(/shadow/);
  const hourly = tasks.find(({ definition }) => definition.schedule.kind === 'cron');
  const next = hourly?.nextRunAt?.getTime() ?? 0;
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = now() - interval '5 hours' WHERE id = $1)
     UPDATE task_plan SET next_run_at = next_run_at - interval '4 hours', plan_seq = plan_seq + 1 WHERE task_id = $1`,
    [hourly?.id],
  );
  await runCli(['tasks', 'edit', hourly?.name ?? '', '--set', 'retentionDays=40'], { env });
  for (const [hours, exitCode] of [
    [-4, 0],
    [-3, 1],
    [-1, 0],
  ] as const) {
    const startedAt = new Date(next + hours * HOUR + 2000);
    const endedAt = new Date(startedAt.getTime() + 1000);
    spool.add(`${hours}`, {
      id: randomUUID(),
      line: hourly?.definition.shadow?.line,
      host: 'host1',
      startedAt,
      endedAt,
      exitCode,
      signal: null,
      bootedAt: null,
    });
  }
  // What was skipped for another reason is no fire of the shadow.
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at, finished_at, watched)
     SELECT gen_random_uuid(), $2, t.namespace, t.id, 1, 1, 'schedule', 'skipped', 'the key was busy', t.name, 1, 'skip', 'default', $2, $2, false FROM task t WHERE t.id = $1`,
    [hourly?.id, new Date(next - 2.5 * HOUR).toISOString()],
  );
  spool.add('broken', {});
  expect(await runCli(['report', '--send'], { env: own })).toMatchObject({ code: 0, stdout: '3 reports sent\n' });
  expect(spool.waiting()).toEqual([]);
  const { code, stdout } = await runCli(['shadow', 'status', '--source', 'host1'], { env });
  expect(stdout).toMatch(/ hourly-\S+ +differs +cron +3 +0 +1 +2 s +1 s +0 \(2\), 1 \(1\) +host1/);
  expect(stdout).toMatch(/:07:00Z only here, not explained: due here, and the host has reported no start/);
  expect(code).toBe(1);
  expect(await runCli(['shadow', 'status', '--source', 'host2'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean host1?'),
  });
});

test('what cannot be sent waits, and is sent later, once', async () => {
  await reported(['true']);
  const { DATABASE_URL: _, ESCAPEMENT_URL: __, ...nowhere } = own;
  expect(
    (await runCli(['report', '--send'], { env: { ...nowhere, DATABASE_URL: 'postgres://127.0.0.1:1/none' } })).code,
  ).toBe(3);
  expect(spool.waiting()).toHaveLength(2);
  const before = await db.pool.query('SELECT count(*)::integer AS count FROM cron_report');
  expect((await runCli(['report', '--send'], { env: own })).stdout).toBe('2 reports sent\n');
  const after = await db.pool.query('SELECT count(*)::integer AS count FROM cron_report');
  expect(after.rows[0].count - before.rows[0].count).toBe(1);
});
