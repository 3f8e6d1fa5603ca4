import { saveTask, triggerTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const handler = { type: 'shell', command: 'true' } as const;

test('a task is renamed: its runs are listed under the new name, and who asks for the old one is told', async () => {
  const schedule = { kind: 'cron', expression: 'H H * * *', timeZone: 'UTC' } as const;
  await saveTask(db, { name: 'dump', handler, schedule }, { source: 'cli', by: by('ann') });
  const id = await triggerTask(db, 'dump', { by: by('ann') });
  const planned = await run('tasks', 'rename', 'dump', 'shop/dump', '--plan');
  expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was changed') });
  // `H` is spread by the name.
  expect(planned.stdout).toMatch(/^would rename dump to shop\/dump\nupdate shop\/dump \(key, name\): .*moved/);
  const { code, stdout, stderr } = await run('tasks', 'rename', 'dump', 'shop/dump', '--reason', 'all of the shop');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^renamed dump to shop\/dump: version 2\n/);
  expect(stderr).toContain('its key stays "dump", so that no two runs overlap and its state is kept');
  expect((await run('runs', 'list', '--task', 'shop/dump')).stdout).toContain(id);
  expect(await run('tasks', 'show', 'dump')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it is called shop/dump now'),
  });
  expect((await run('tasks', 'show', 'shop/dump')).stdout).toMatch(/^was called: +dump$/m);
  expect((await run('tasks', 'history', 'shop/dump')).stdout).toMatch(/ 2 .* name, key +all of the shop/);
  expect((await run('audit', 'log', '--on', 'task:shop/dump')).stdout).toMatch(/rename/);
});

test('an older version is taken back under the present name, with its key', async () => {
  await saveTask(db, { name: 'was', handler, timeoutMs: 1000 }, { source: 'cli', by: by('ann') });
  await run('tasks', 'rename', 'was', 'is');
  await run('tasks', 'edit', 'is', '--set', 'timeoutMs=2000');
  expect(await run('tasks', 'revert', 'is', '--to', '1')).toMatchObject({ code: 0 });
  expect((await findTask(db, 'is'))?.definition).toMatchObject({ name: 'is', key: 'was', timeoutMs: 1000 });
  expect(await run('tasks', 'edit', 'is', '--set', 'name=other')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('escapement tasks rename is NEW'),
  });
});

test('a task of a file is renamed there as well, and apply finds nothing to do', async () => {
  const { write } = await folder();
  const task = (name: string, more = '') => `name: ${name}\n${more}handler: { type: shell, command: 'true' }\n`;
  const next = 'name: next\nthen: [{ task: filed }]\nhandler: { type: shell, command: "true" }\n';
  await run('apply', '-f', await write('tasks.yaml', `${task('filed')}---\n${next}`));
  const { stderr } = await run('tasks', 'rename', 'filed', 'filed-2');
  expect(stderr).toContain('give it `name: filed-2` there, and the key of above');
  const applied = await run('apply', '-f', await write('tasks.yaml', `${task('filed-2', 'key: filed\n')}---\n${next}`));
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('2 as the files say already') });
});

test('a name that is there is refused', async () => {
  await saveTask(db, { name: 'one', handler }, { source: 'cli', by: by('ann') });
  await saveTask(db, { name: 'two', handler }, { source: 'cli', by: by('ann') });
  for (const plan of [[], ['--plan']])
    expect(await run('tasks', 'rename', 'one', 'two', ...plan)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is a task "two" already'),
    });
});
