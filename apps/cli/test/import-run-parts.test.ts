import { execFile } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { listTasks } from '@escapement/store';
import { beforeEach, expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
let root: string;

async function put(path: string, text = '#!/bin/sh\n', mode = 0o755): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

const runParts = async (...args: string[]) => await runCli(['import', 'run-parts', '--root', root, ...args], { env });

/** The scripts of which it would make tasks. */
async function scripts(...args: string[]): Promise<string[]> {
  const { stdout } = await runParts(...args, '-o', 'json');
  const told: { tasks: { place: string; task: string | null }[] } = JSON.parse(stdout);
  return told.tasks.filter(({ task }) => task !== null).map(({ place }) => place);
}

const crontab = async (...commands: string[]) =>
  await put('etc/crontab', commands.map((command) => `25 6 * * * root ${command}\n`).join(''), 0o644);

beforeEach(async () => {
  root = (await folder()).path;
  await put('etc/passwd', 'root:x:0:0::/root:/bin/sh\n', 0o644);
});

test.each(['', '--lsbsysinit', "--regex='^[a-z.]+$'", '--reverse', "--reverse --regex='^(a|b)'"])(
  'are those that run-parts itself names, in its order: %s',
  async (options) => {
    for (const name of ['a', 'b.sh', 'Z', '10', '9', 'a_b', 'a-b', 'org.x-y', 'x.dpkg-old', '.hidden', 'c~', '#d#'])
      await put(`etc/jobs/${name}`);
    await put('etc/jobs/data', '', 0o644);
    await mkdir(join(root, 'etc/jobs/folder'));
    await symlink('a', join(root, 'etc/jobs/linked'));
    await crontab(`run-parts --report ${options} /etc/jobs`);
    const line = `run-parts --test ${options} ${join(root, 'etc/jobs')}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    const named = stdout.trim().split('\n');
    expect(named.length).toBeGreaterThan(1);
    expect(await scripts()).toEqual(named.map((path) => path.slice(root.length)));
  },
);

test('become tasks; what starts them is named, and a second time nothing changes; what is gone is pruned', async () => {
  await crontab('cd / && run-parts --report /etc/jobs', 'backup');
  await put('etc/jobs/one');
  await put('etc/jobs/two');
  await put('etc/jobs/two.sh');
  const args = ['--source', 'web1', '--prefix', 'web1/', '--pool', 'web1'];
  const written = await runParts(...args, '--write');
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('2 created') });
  expect(written.stdout).toContain('/etc/crontab:1 runs the scripts of /etc/jobs as well: take it out');
  expect(written.stdout).toContain('left: /etc/jobs/two.sh: run-parts runs no file of such a name');
  expect(await listTasks(db, { source: 'run-parts:web1' })).toMatchObject([
    { name: 'web1/jobs/one', definition: { pool: 'web1', key: 'web1/jobs', overlap: { policy: 'wait-all' } } },
    { name: 'web1/jobs/two', definition: { schedule: { expression: '1 25 6 * * *' } } },
  ]);
  await runCli(['tasks', 'edit', 'web1/jobs/one', '--set', 'overlap=skip'], { env });
  expect((await runParts(...args, '--write')).stdout).toContain('2 unchanged');
  await chmod(join(root, 'etc/jobs/one'), 0o644);
  const pruned = await runParts(...args, '--write', '--prune');
  expect(pruned.stdout).toContain('deleted: web1/jobs/one');
  expect(pruned.stdout).toContain('web1/jobs/two');
  expect(await listTasks(db, { source: 'run-parts:web1' })).toMatchObject([
    { name: 'web1/jobs/two', definition: { schedule: { expression: '25 6 * * *' } } },
  ]);
});

test('are found behind links as the host itself sees them; a link to nowhere is left', async () => {
  await crontab('run-parts /etc/jobs');
  await put('opt/jobs/one');
  await put('opt/program');
  await mkdir(join(root, 'etc'), { recursive: true });
  await symlink('/opt/jobs', join(root, 'etc/jobs'));
  await symlink('/opt/program', join(root, 'opt/jobs/absolute'));
  await symlink('../program', join(root, 'opt/jobs/relative'));
  await symlink('/opt/nothing', join(root, 'opt/jobs/gone'));
  await symlink('loop', join(root, 'opt/jobs/loop'));
  expect(await scripts()).toEqual(['/etc/jobs/absolute', '/etc/jobs/one', '/etc/jobs/relative']);
  expect((await runParts()).stdout).toContain('left: /etc/jobs/gone: it is a link to what is not there');
});

test('of lines that cannot be read are not lost: they are told, and nothing is pruned', async () => {
  await put('etc/crontab', '25 6 * * 9 root run-parts /etc/one\n25 6 * * * root run-parts /etc/two\n', 0o644);
  await put('etc/two/a');
  const { stdout } = await runParts();
  expect(stdout).toContain('/etc/crontab:1 refused: ');
  expect(stdout).toContain('1 to create');
  expect(await runParts('--write', '--prune')).toMatchObject({ code: 2 });
});

test('of cronie are those that its script takes, without what jobs.deny names', async () => {
  await put('usr/bin/run-parts', '#!/bin/bash\n');
  for (const name of ['0anacron', 'a.sh', 'b.rpmsave', 'never']) await put(`etc/cron.hourly/${name}`);
  await put('etc/cron.hourly/jobs.deny', 'never\n', 0o644);
  await put('etc/cron.d/0hourly', '01 * * * * root run-parts /etc/cron.hourly\n', 0o644);
  expect(await scripts()).toEqual(['/etc/cron.hourly/0anacron', '/etc/cron.hourly/a.sh']);
});

test('are started by anacron where it is installed, else by the lines that leave them to it', async () => {
  await crontab('test -x /usr/sbin/anacron || { cd / && run-parts /etc/jobs; }');
  await put('etc/anacrontab', '1 5 jobs run-parts /etc/jobs\n', 0o644);
  await put('etc/jobs/one');
  expect((await runParts()).stdout).toContain('at 06:25 every day');
  await put('usr/sbin/anacron');
  expect((await runParts()).stdout).toContain('at 07:05 every day');
});

test('may be of a folder that nothing starts, by a schedule that is given', async () => {
  await put('srv/my jobs/one');
  const args = ['/srv/my jobs', '--schedule', '@daily', '--user', 'www-data', '--write', '--source', 'given'];
  const { code, stdout } = await runParts(...args);
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 created')]);
  expect(stdout).toContain('see that nothing on the host runs the scripts of /srv/my jobs as well');
  expect(await listTasks(db, { source: 'run-parts:given' })).toMatchObject([
    { name: 'my-jobs/one', definition: { handler: { command: "'/srv/my jobs/one'", user: 'www-data' } } },
  ]);
});

test.each<[string, string[], string]>([
  ['a folder that nothing starts', ['/etc/other'], 'nothing on this host starts the scripts of /etc/other'],
  ['no folder that anything starts', [], 'nothing on this host starts the scripts of a folder'],
  ['a schedule that is none', ['/etc/other', '--schedule', '61 * * * *'], '61 in "61" is out of range'],
  ['folders, and all others pruned', ['/etc/jobs', '--prune', '--write'], 'are left out on purpose'],
  ['a schedule without a folder', ['--schedule', '@daily'], 'and none is given'],
])('are not to be had: %s', async (_, args, message) => {
  await crontab('backup');
  expect(await runParts(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('of a crontab that cannot be read are not known: it is told, and nothing is pruned', async () => {
  await crontab('run-parts /etc/jobs');
  await put('etc/jobs/one');
  await put('etc/cron.d/large', `# ${'x'.repeat(11 * 1024 * 1024)}\n`, 0o644);
  const { code, stdout } = await runParts();
  expect(code).toBe(0);
  expect(stdout).toContain('/etc/cron.d/large refused: ');
  expect(stdout).toContain('1 to create');
  expect(await runParts('--write', '--prune')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('could not be read'),
  });
});

test('are left where their line does more, and where their folder is not there', async () => {
  await crontab('run-parts /etc/jobs | logger', 'run-parts /etc/gone', 'run-parts /etc/jobs');
  await put('etc/jobs/one');
  const { code, stdout } = await runParts();
  expect(code).toBe(0);
  expect(stdout).toContain('/etc/crontab:1 refused: the command does more than start run-parts: leave it one task');
  expect(stdout).toContain(
    '/etc/gone, started by /etc/crontab:2 refused: the folder cannot be read: there is no such folder',
  );
  expect(stdout).toContain('1 to create');
  expect(await runParts('--strict')).toMatchObject({ code: 2 });
});
