import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { folder, runCli } from './cli.ts';

const BIN = pathToFileURL(fileURLToPath(new URL('../bin/escapement.js', import.meta.url))).href;
const isRoot = process.getuid?.() === 0;
const SYSTEM = ['--system', '--source', 'web1'];
const LINES = '0 1 * * * root one\n0 2 * * * nobody two\n';

/** Folders of tests are of their owner alone: mode 700. */
let place: Awaited<ReturnType<typeof folder>>;

beforeEach(async () => {
  place = await folder();
});

/** The command line, installed in a folder. */
async function installedIn(name: string) {
  await mkdir(join(place.path, name), { recursive: true });
  const program = await place.write(join(name, 'escapement.js'), `await import(${JSON.stringify(BIN)});\n`);
  return (args: string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', input });
    return { code: status, stdout, stderr };
  };
}

describe('a crontab is not patched with a command line that', () => {
  test.skipIf(!isRoot)('a user of its lines cannot reach: its command would not be reported', async () => {
    const escapement = await installedIn('.');
    const file = await place.write('two.cron', LINES);
    const ran = escapement(['shadow', 'patch', file, ...SYSTEM]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`nobody cannot reach ${join(place.path, 'escapement.js')}`);
    expect(ran.stderr).toContain(`${place.path} is closed to it (mode 700)`);
    expect(ran.stderr).toContain('/usr/lib/escapement');
    expect(await readFile(file, 'utf8')).toBe(LINES);
    expect(escapement(['shadow', 'patch', '-', '--user', 'nobody'], '0 1 * * * one\n')).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  test('is of this machine, where the host is seen below a folder', async () => {
    const escapement = await installedIn('.');
    const root = join(place.path, 'host');
    await mkdir(join(root, 'etc/cron.d'), { recursive: true });
    await place.write('host/etc/cron.d/two', LINES);
    const program = ['--program', 'escapement'];
    const host = ['shadow', 'patch-host', '--root', root, '--source', 'web1'];
    expect(escapement(host)).toMatchObject({ code: 2, stderr: expect.stringContaining('--program') });
    expect(await readFile(join(root, 'etc/cron.d/two'), 'utf8')).toBe(LINES);
    expect(escapement([...host, ...program])).toMatchObject({ code: 0 });
  });

  test('npx has fetched: its folder goes away', async () => {
    const escapement = await installedIn('.npm/_npx/0123/node_modules/escapement/bin');
    const file = await place.write('one.cron', '0 1 * * * root one\n');
    const ran = escapement(['shadow', 'patch', file, ...SYSTEM]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/_npx\/.*is in the cache of npx/) });
    expect(await readFile(file, 'utf8')).toBe('0 1 * * * root one\n');
  });
});

describe('a crontab is patched, and it is said, with a command line that', () => {
  test('is in a folder for what is temporary', async () => {
    const escapement = await installedIn('.');
    const file = await place.write('one.cron', '0 1 * * * root one\n');
    const ran = escapement(['shadow', 'patch', file, ...SYSTEM]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('for what is temporary') });
    expect(await readFile(file, 'utf8')).toContain('escapement.js');
  });

  test('not everybody can reach, where it is not known whose lines they are', async () => {
    const escapement = await installedIn('.');
    const file = await place.write('one.cron', '0 1 * * * one\n');
    const ran = escapement(['shadow', 'patch', file]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/not every user can reach .*--user/s) });
    await chmod(place.path, 0o755);
    expect(escapement(['shadow', 'patch', file]).stderr).not.toContain(`${place.path} is closed`);
  });

  test('is given by --program: it is taken as it is', async () => {
    const file = await place.write('two.cron', LINES);
    expect(await runCli(['shadow', 'patch', file, ...SYSTEM, '--program', 'escapement'])).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toContain("fi' escapement report");
  });
});
