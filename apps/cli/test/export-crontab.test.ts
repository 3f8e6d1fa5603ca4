import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { env } = await cliDatabase();

const CRONTAB = `SHELL=/bin/sh
CRON_TZ=Europe/Berlin
MAILTO=ops@example.com

# Nightly
30 2 * * mon-fri /usr/bin/backup --full
0 * * * * date +\\%F%in%put
@reboot up
`;

test('an exported crontab imports as what it came from', async () => {
  const source = ['--source', 'round'];
  await runCli(['import', 'crontab', '-', ...source, '--write'], { env, input: CRONTAB });
  const { code, stdout, stderr } = await runCli(['export', 'crontab', '--source', 'crontab:round'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('\n0 * * * * date +\\%F%in%put\n');
  const again = await runCli(['import', 'crontab', '-', ...source, '-o', 'json'], { env, input: stdout });
  const { lines, removed }: { lines: { action: string }[]; removed: unknown[] } = JSON.parse(again.stdout);
  expect(lines.map(({ action }) => action)).not.toContain('create');
  expect(removed).toEqual([]);
});

test('what a crontab cannot say is left as a comment and counted', async () => {
  await runCli(['import', 'crontab', '-', '--write'], { env, input: '0 1 * * * /bin/x\n' });
  const args = ['export', 'crontab', '--system', '--source', 'crontab:stdin'];
  const { stdout, stderr } = await runCli(args, { env });
  expect(stdout).not.toMatch(/^0 1/m);
  expect(stdout).toContain('is not here: it names no user; --user NAME says who runs such tasks');
  expect(stderr).toContain('1 task cannot be written as a crontab');
  expect((await runCli([...args, '-l', 'team=shop'], { env })).stdout).not.toContain('is not here');
  expect((await runCli([...args, '--user', 'jobs'], { env })).stdout).toMatch(/^0 1 \* \* \* jobs \/bin\/x$/m);
});
