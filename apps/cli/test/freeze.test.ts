import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const HANDLER = { type: 'http', url: 'https://shop.example/' } as const;
const { db, env } = await cliDatabase();
await saveTask(db, { name: 'any', handler: HANDLER }, { source: 'cli', by: by('test') });
const run = (...args: string[]) => runCli(args, { env: { ...env, ESCAPEMENT_ACTOR: 'ann' } });

test('a freeze stands at the head of each command until it is ended, and both are in the audit', async () => {
  expect((await run('freeze')).stderr).toContain('--reason');
  expect((await run('freeze', '--reason', 'x', '--until', '2020-01-01')).stderr).toContain('which has passed');
  expect((await run('tasks', 'list')).stderr).toBe('');
  const frozen = await run('freeze', '--reason', 'moving the database', '--until', '2h');
  expect(frozen).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the fleet is frozen until \S+Z\n$/) });
  const head = /^FROZEN until \S+Z, since \S+Z by (?:ann|cli-test): moving the database; what falls due is skipped\n/;
  for (const args of [['tasks', 'list'], ['runs', 'list', '-o', 'json'], ['tasks', 'trigger', 'any'], ['doctor']])
    expect((await run(...args)).stderr).toMatch(head);
  expect((await run('freeze', '--reason', 'still moving')).stdout).toBe(
    'the fleet is frozen until `escapement unfreeze`\n',
  );
  expect((await run('tasks', 'list')).stderr).toMatch(/^FROZEN until `escapement unfreeze`, .*: still moving;/);
  expect((await run('unfreeze', '--reason', 'moved')).stdout).toContain('the fleet goes on');
  expect(await run('unfreeze')).toMatchObject({ code: 0, stdout: 'the fleet was not frozen\n', stderr: '' });
  const audit = JSON.parse((await run('audit', 'log', '--on', 'namespace:default', '-o', 'json')).stdout);
  expect(audit.map(({ action, reason }: { action: string; reason: string }) => [action, reason])).toEqual([
    ['freeze', 'moving the database'],
    ['freeze', 'still moving'],
    ['unfreeze', 'moved'],
  ]);
});

test('while the fleet is frozen, the next run of a task is the first one after it, and runs that are asked for go on', async () => {
  const schedule = { kind: 'cron', expression: '0 0 1 * *', timeZone: 'UTC' } as const;
  await saveTask(db, { name: 'monthly', schedule, handler: HANDLER }, { source: 'cli', by: by('test') });
  const shown = async () => {
    const [task] = JSON.parse((await run('tasks', 'list', '--name', 'monthly', '-o', 'json')).stdout);
    return task.nextStartAt;
  };
  await run('freeze', '--reason', 'moving', '--until', '2099-01-15');
  expect(await shown()).toBe('2099-02-01T00:00:00.000Z');
  const next = await run('next', '--task', 'monthly', '--count', '1');
  expect(next.stderr).toContain('monthly is frozen with the fleet: nothing starts before 2099-01-15T00:00:00Z');
  expect(next.stdout).toContain('2099-02-01 00:00:00 +00:00');
  await run('freeze', '--reason', 'moving');
  expect(await shown()).toBeNull();
  expect((await run('tasks', 'list', '--name', 'monthly')).stdout).toMatch(/ UTC +- +- /);
  expect((await run('next', '--task', 'monthly')).stderr).toContain('shown as if `escapement unfreeze` were given now');
  await run('tasks', 'trigger', 'monthly', '--in', '2h');
  expect(await shown()).toMatch(/^20\d\d-.*Z$/);
  await run('unfreeze');
});
