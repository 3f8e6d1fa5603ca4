import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { env } = await cliDatabase();
const { path: root } = await folder();
const run = async (...args: string[]) => await runCli(args, { env });
const TASK = ['--cron', '30 2 * * 1-5', '--tz', 'Europe/Berlin', '--', 'backup', '--full', '50% of it'];
await run('tasks', 'add', 'shop/backup', ...TASK);
await run('tasks', 'edit', 'shop/backup', '--set', 'handler.user=jobs', '--set', 'labels={"team":"shop"}');
await run('tasks', 'add', 'by-hand', '--', 'a');

test('units are written into a folder, all or none, and are read again as they were', async () => {
  const to = join(root, 'units');
  const written = await run('export', 'systemd', '--to', to);
  expect(written).toMatchObject({ code: 0, stderr: expect.stringContaining('by-hand is not among them') });
  expect((await readdir(to)).sort()).toEqual(['shop-backup.service', 'shop-backup.timer']);
  expect(await readFile(join(to, 'shop-backup.timer'), 'utf8')).toContain(
    'OnCalendar=Mon..Fri *-*-* 02:30:00 Europe/Berlin',
  );
  const again = await run('import', 'systemd', to, '-o', 'json');
  expect(JSON.parse(again.stdout).tasks).toMatchObject([
    { action: 'create', meaning: 'at 02:30 on Monday to Friday', lost: [] },
  ]);
  expect((await run('export', 'systemd', '--to', to)).code).toBe(0);
  await writeFile(join(to, 'shop-backup.timer'), '# mine\n');
  expect(await run('export', 'systemd', '--to', to)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/other units of these names: shop-backup\.timer[\s\S]*--replace/),
  });
  expect((await run('export', 'systemd', '--to', to, '--replace')).code).toBe(0);
  expect(await run('export', 'systemd', '--to', join(to, 'shop-backup.timer'))).toMatchObject({ code: 2 });
  expect((await run('export', 'systemd', '-l', 'team=shop')).stdout).toMatch(/^# --- shop-backup\.timer$/m);
});

test('CronJobs are written as YAML, and are read again as they were', async () => {
  const { stdout, stderr } = await run('export', 'k8s', '--image', 'shop:7');
  expect(stderr).toContain('1 task cannot be written as a CronJob');
  expect(stdout).toMatch(/^# task shop\/backup of Escapement\n# differs: it runs as jobs/m);
  expect(stdout).toMatch(/^# by-hand is not here: a CronJob has no schedule of kind manual/m);
  const again = await runCli(['import', 'k8s', '-', '-o', 'json'], { env, input: stdout });
  expect(JSON.parse(again.stdout).tasks).toMatchObject([
    { task: 'shop/backup', meaning: 'at 02:30 on Monday to Friday', timeZone: 'Europe/Berlin', action: 'refused' },
  ]);
  expect((await run('export', 'k8s')).code).toBe(2);
});
