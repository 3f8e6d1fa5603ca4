import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listTasks } from '@escapement/store';
import { beforeEach, describe, expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
let root: string;
/** Of one test: each has crontabs and tasks of its own. */
let source: string;
let count = 0;

async function put(path: string, text: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o644 });
}

const read = async (path: string) => await readFile(join(root, path), 'utf8');
const host = async (command: string, ...args: string[]) =>
  await runCli([...command.split(' '), '--root', root, '--source', source, ...args], { env });

async function tasks() {
  const all = await listTasks(db);
  return all
    .filter((task) => task.source.startsWith(`crontab:${source}:`))
    .map(({ source: of, definition: { handler, pool, shadow } }) => ({
      crontab: of.replace(`crontab:${source}:`, ''),
      command: handler.type === 'shell' ? handler.command : undefined,
      user: handler.type === 'shell' ? handler.user : undefined,
      ...{ pool, isShadow: shadow !== undefined },
    }))
    .sort((one, other) => (`${one.crontab}${one.command}` < `${other.crontab}${other.command}` ? -1 : 1));
}

beforeEach(async () => {
  root = (await folder()).path;
  source = `web${++count}.example`;
  await put('etc/debian_version', '12.8\n');
  await put('etc/passwd', 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n');
  await put('etc/crontab', '17 * * * * root run-parts /etc/cron.hourly\n');
  await put('etc/cron.d/backup', '30 2 * * * ann pg_dump shop\n');
  await put('var/spool/cron/crontabs/ann', '*/5 * * * * poll 50\\%\n');
});

describe('the crontabs of a host', () => {
  test('are found as its cron finds them: what it does not read is left, and named', async () => {
    await put('etc/cron.d/.placeholder', '# none\n');
    await put('etc/cron.d/backup.dpkg-old', '0 1 * * * root old\n');
    await put('etc/cron.d/with.dot', '0 1 * * * root dotted\n');
    await put('etc/cron.d/loose', '0 1 * * * root anybody\n');
    await chmod(join(root, 'etc/cron.d/loose'), 0o666);
    await put('var/spool/cron/crontabs/nobody-here', '0 1 * * * orphan\n');
    await mkdir(join(root, 'etc/cron.d/folder'));
    const { code, stdout } = await host('import host', '-o', 'json');
    expect(code).toBe(0);
    const told: { crontabs: { crontab: string }[]; left: { path: string; why: string }[] } = JSON.parse(stdout);
    expect(told.crontabs.map(({ crontab }) => crontab)).toEqual([
      '/etc/crontab',
      '/etc/cron.d/backup',
      '/var/spool/cron/crontabs/ann',
    ]);
    expect(Object.fromEntries(told.left.map(({ path, why }) => [path, why]))).toEqual({
      '/etc/cron.d/backup.dpkg-old': 'cron reads no file of such a name',
      '/etc/cron.d/with.dot': 'cron reads no file of such a name',
      '/etc/cron.d/loose': 'others than root could write to it: cron does not read it',
      '/etc/cron.d/folder': 'it is no file',
      '/var/spool/cron/crontabs/nobody-here': 'the host has no user nobody-here: cron does not run it',
    });
  });

  test('of another system than Debian may have dots in their names, and lie elsewhere', async () => {
    await rm(join(root, 'etc/debian_version'));
    await put('etc/cron.d/with.dot', '0 1 * * * root dotted\n');
    await rm(join(root, 'var/spool/cron/crontabs'), { recursive: true });
    await put('var/spool/cron/ann', '0 1 * * * cronie\n');
    expect(await host('import host', '--write')).toMatchObject({ code: 0 });
    expect((await tasks()).map(({ crontab }) => crontab)).toEqual([
      '/etc/cron.d/backup',
      '/etc/cron.d/with.dot',
      '/etc/crontab',
      '/var/spool/cron/ann',
    ]);
  });

  test('become tasks that run as their users, on the pool of the host; a second time nothing changes', async () => {
    const preview = await host('import host');
    expect(preview.stdout).toContain(
      `${source}: 3 crontabs: 3 to create, 0 to update, 0 unchanged, 0 refused. Nothing is written`,
    );
    expect(preview.stdout).toContain('note: 2 lines: runs as ann: needs a worker that runs as root, or as ann');
    expect(preview.stdout).toContain('note: /etc/crontab, line 1: runs as root: needs a worker that runs as root');
    expect(await tasks()).toEqual([]);
    const written = await host('import host', '--write');
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('3 created') });
    const pool = source.replace('.', '-');
    expect(written.stdout).toContain(`ESCAPEMENT_POOLS=${pool}`);
    const scripts = `escapement import run-parts --root ${root} --source ${source} --prefix ${source}/ --pool ${pool}`;
    expect(written.stdout).toContain(`note: 1 line of run-parts: a task of each script makes \`${scripts}\``);
    const made = { pool, isShadow: false };
    expect(await tasks()).toEqual([
      { crontab: '/etc/cron.d/backup', command: 'pg_dump shop', user: 'ann', ...made },
      { crontab: '/etc/crontab', command: 'run-parts /etc/cron.hourly', user: 'root', ...made },
      { crontab: '/var/spool/cron/crontabs/ann', command: 'poll 50%', user: 'ann', ...made },
    ]);
    const [first] = (await listTasks(db)).filter((task) => task.source === `crontab:${source}:/etc/crontab`);
    await runCli(['tasks', 'edit', first?.name ?? '', '--set', 'pool=other'], { env });
    expect((await host('import host', '--write')).stdout).toContain('0 created, 0 updated, 3 unchanged');
    expect((await tasks()).map((task) => task.pool)).toEqual([pool, 'other', pool]);
  });

  test('that are gone are told of, and their tasks deleted with --prune', async () => {
    await host('import host', '--write');
    await rm(join(root, 'etc/cron.d/backup'));
    await put('etc/crontab', '# nothing\n');
    const told = await host('import host', '--write');
    expect(told.stdout).toContain('no more on the host: /etc/cron.d/backup, with 1 task: --prune deletes them');
    expect(await tasks()).toHaveLength(3);
    expect((await host('import host', '--write', '--prune')).stdout).toContain(
      '/etc/cron.d/backup, with 1 task: deleted',
    );
    expect((await tasks()).map(({ crontab }) => crontab)).toEqual(['/var/spool/cron/crontabs/ann']);
  });

  test('that cannot be read are not gone: it is said, and nothing is pruned', async () => {
    await host('import host', '--write');
    await put('etc/cron.d/backup', `# ${'x'.repeat(11 * 1024 * 1024)}\n`);
    const { stdout } = await host('import host', '--write');
    expect(stdout).toContain('left: /etc/cron.d/backup: ');
    expect(stdout).not.toContain('no more on the host');
    expect(await host('import host', '--write', '--prune')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/etc/cron.d/backup could not be read'),
    });
    expect(await tasks()).toHaveLength(3);
  });

  test('are all left as they are by --strict, where a line is bad; else the bad line alone is', async () => {
    await put('etc/cron.d/broken', '0 0 31 2 * root never\n0 0 * * * root daily\n');
    const strict = await host('import host', '--write', '--strict');
    expect(strict).toMatchObject({ code: 2, stdout: expect.stringContaining('/etc/cron.d/broken, line 1 refused') });
    expect(await tasks()).toEqual([]);
    expect(await host('import host', '--write')).toMatchObject({ code: 0 });
    expect((await tasks()).map(({ command }) => command)).toContain('daily');
  });

  test('leave the jobs of anacron to another command, which is named; it makes tasks of them', async () => {
    const file = join(root, 'etc/anacrontab');
    await put('etc/anacrontab', 'START_HOURS_RANGE=3-22\n1 5 cron.daily run-parts /etc/cron.daily\n7 x bad y\n');
    const pool = source.replace('.', '-');
    const args = [file, '--source', source, '--prefix', `${source}/`, '--pool', pool];
    const { stdout } = await host('import host');
    expect(stdout).toContain(`escapement import anacron ${args.join(' ')}`);
    const ran = await runCli(['import', 'anacron', ...args, '--write'], { env });
    expect(ran.stdout).toContain('the delay is "x"');
    const [task, ...others] = await listTasks(db, { source: `anacron:${source}` });
    expect(others).toEqual([]);
    expect(task).toMatchObject({ name: `${source}/cron.daily`, definition: { pool, handler: { user: 'root' } } });
    const again = await runCli(['import', 'anacron', ...args], { env });
    expect(again.stdout).toContain('1 unchanged');
  });

  test('are looked for in vain where there are none', async () => {
    root = (await folder()).path;
    expect(await host('import host')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`no crontab is below ${root}`),
    });
  });
});

describe('patched as a whole', () => {
  const PROGRAM = ['--program', 'escapement'];

  test('the host reports all lines, its tasks are in the shadow, and unpatched all is as it was, to the byte', async () => {
    const paths = ['etc/crontab', 'etc/cron.d/backup', 'var/spool/cron/crontabs/ann'];
    await chmod(join(root, 'var/spool/cron/crontabs/ann'), 0o600);
    const before = await Promise.all(paths.map(read));
    expect(await host('shadow patch-host', ...PROGRAM)).toMatchObject({ code: 0 });
    for (const path of paths) expect(await read(path)).toMatch(/ report --line [0-9a-f]{12} -- '/);
    expect((await stat(join(root, 'var/spool/cron/crontabs/ann'))).mode & 0o777).toBe(0o600);
    const again = await host('shadow patch-host', '-o', 'json', ...PROGRAM);
    expect(JSON.parse(again.stdout).crontabs.map(({ result }: { result: string }) => result)).toEqual(
      paths.map(() => 'was patched'),
    );
    expect(await host('import host', '--shadow', '--write')).toMatchObject({ code: 0 });
    expect((await tasks()).every(({ isShadow }) => isShadow)).toBe(true);
    const status = await runCli(['shadow', 'status', '--source', source, '-o', 'json'], { env });
    const lines: { id: string; source: string }[] = JSON.parse(status.stdout);
    const patched = await Promise.all(paths.map(read));
    for (const [index, path] of paths.entries()) {
      const id = lines.find((line) => line.source === `${source}:/${path}`)?.id;
      expect(patched[index]).toContain(`report --line ${id} -- `);
    }
    expect(await host('shadow unpatch-host')).toMatchObject({ code: 0 });
    expect(await Promise.all(paths.map(read))).toEqual(before);
  });

  test('one that cannot be patched is named and stays as it is; the others are patched', async () => {
    const long = `0 1 * * * ann ${'x'.repeat(960)}\n`;
    await put('etc/cron.d/long', long);
    const ran = await host('shadow patch-host', ...PROGRAM);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('1 crontab of 4') });
    expect(ran.stdout).toMatch(/\/etc\/cron\.d\/long +0 +failed +line 1: wrapped, the command would be longer/);
    expect(await read('etc/cron.d/long')).toBe(long);
    expect(await read('etc/cron.d/backup')).toContain('report --line');
  });
});

test('a crontab of a user alone is imported, and patched, with its user; a user column has its own', async () => {
  const file = join(root, 'var/spool/cron/crontabs/ann');
  const args = [file, '--source', `${source}:alone`, '--user', 'ann'];
  expect(await runCli(['shadow', 'patch', ...args, '--program', 'escapement'], { env })).toMatchObject({ code: 0 });
  expect(await runCli(['import', 'crontab', ...args, '--shadow', '--write'], { env })).toMatchObject({ code: 0 });
  expect(await tasks()).toMatchObject([{ user: 'ann', isShadow: true }]);
  const { stdout } = await runCli(['shadow', 'status', '--source', `${source}:alone`, '-o', 'json'], { env });
  expect(await readFile(file, 'utf8')).toContain(`--line ${JSON.parse(stdout)[0].id} `);
  expect(await runCli(['import', 'crontab', ...args, '--system'], { env })).toMatchObject({ code: 2 });
  expect(await runCli(['import', 'crontab', file, '--user', 'a b'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--user is "a b"'),
  });
});
