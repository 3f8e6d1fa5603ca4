import { join } from 'node:path';
import { spawnNode } from '@escapement/testkit';
import { beforeAll, expect, test } from 'vitest';
import { cliDatabase, folder, runBin, runCli } from './cli.ts';

const { env } = await cliDatabase();
const files = await folder();

/** The slow line ends when this file is there. */
const GO = 'go';

const CRONTAB = `GREETING="hello from cron"
@reboot echo "up: $GREETING"
0 0 1 1 * echo "$GREETING"; cat%first%second
1 0 1 1 * echo oops >&2; exit 3
2 0 1 1 * echo waiting; while [ ! -e ${join(files.path, GO)} ]; do sleep 0.05; done; echo done
`;

const run = (...args: string[]) => runCli(args, { env });

async function taskOf(line: number): Promise<string> {
  const { stdout } = await runCli(['import', 'crontab', '-', '-o', 'json'], { env, input: CRONTAB });
  const { lines }: { lines: { line: number; task: string }[] } = JSON.parse(stdout);
  const task = lines.find((each) => each.line === line)?.task;
  if (task === undefined) throw new Error(`line ${line} is no task`);
  return task;
}

beforeAll(async () => {
  await runCli(['import', 'crontab', '-', '--write'], { env, input: CRONTAB });
  const apps = { ...env, ESCAPEMENT_HEALTH_PORT: 'off', ESCAPEMENT_ALLOW_SHELL: 'true' };
  const scheduler = spawnNode(new URL('../../scheduler/src/main.ts', import.meta.url), { env: apps });
  const worker = spawnNode(new URL('../../worker/src/main.ts', import.meta.url), { env: apps });
  await scheduler.waitForLine('scheduler is running', 45_000);
  await worker.waitForLine('worker is running', 45_000);
});

test('a line of a crontab runs on the fleet as cron would run it, and --wait shows its log', async () => {
  const { code, stdout, stderr } = await runBin(['tasks', 'trigger', await taskOf(3), '--wait'], { env });
  expect(stdout).toBe('hello from cron\nfirst\nsecond\n');
  expect(stderr).toMatch(/^run [0-9a-f-]{36}\nsucceeded/);
  expect(code).toBe(0);
});

test('--wait ends with 1 if the run fails, which list, show, logs and stats tell', async () => {
  const task = await taskOf(4);
  const { code, stdout, stderr } = await runBin(['tasks', 'trigger', task, '--wait'], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'oops\n' });
  expect(stderr).toMatch(/\nfailed: .*3/);
  const listed = JSON.parse(
    (await run('runs', 'list', '--task', task, '--state', 'failed', '--since', '1h', '-o', 'json')).stdout,
  );
  expect(listed).toMatchObject([{ state: 'failed', exitCode: 3, taskName: task, origin: 'trigger' }]);
  const [{ id }] = listed;
  expect((await run('runs', 'show', id)).stdout).toMatch(/^exit code: +3$/m);
  expect((await run('runs', 'logs', id)).stdout).toBe('oops\n');
  expect((await run('tasks', 'stats', task)).stdout).toMatch(new RegExp(`^${task} +1 +0 +1 +0 +0 .* failed: `, 'm'));
  expect((await run('runs', 'list', '--task', task, '--state', 'succeeded')).stderr).toContain('no run matches');
});

test('@reboot has run once, because the fleet came up', async () => {
  const task = await taskOf(2);
  const runs = async () => JSON.parse((await run('runs', 'list', '--task', task, '-o', 'json')).stdout);
  await expect.poll(runs, { timeout: 20_000 }).toMatchObject([{ state: 'succeeded', requestedBy: 'fleet start' }]);
});

test('a trigger that meets a run of the same key is skipped, --wait ends with 4; --follow ends with the run', async () => {
  const task = await taskOf(5);
  const first = (await run('tasks', 'trigger', task)).stdout.trim();
  const log = async () => (await run('runs', 'logs', first)).stdout;
  await expect.poll(log, { timeout: 20_000 }).toBe('waiting\n');
  const second = await run('tasks', 'trigger', task, '--wait');
  expect(second).toMatchObject({ code: 4, stderr: expect.stringMatching(/\nskipped: /) });
  const following = run('runs', 'logs', first, '--follow');
  await files.write(GO, '');
  expect(await following).toMatchObject({ code: 0, stdout: 'waiting\ndone\n' });
  expect((await run('runs', 'list', '--task', task, '--state', 'skipped')).stdout).toMatch(/ skipped +trigger /);
});
