import { deleteTask, saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

test('every version of a task is told, of a deleted one too, with the parts that changed', async () => {
  const task = { name: 'report', handler: { type: 'shell' as const, command: 'true' } };
  await saveTask(db, task, { source: 'cli', by: by('ann@host') });
  const changed = { ...task, payload: { a: 1 }, timeoutMs: 5000 };
  await saveTask(db, changed, { source: 'cli', by: by('bob@host', 'faster') });
  await deleteTask(db, 'report', by('test'));
  const { stdout } = await run('tasks', 'history', 'report');
  expect(stdout).toMatch(
    /^ +2 +\S+ +bob@host +cli +timeoutMs, payload +faster$|^ +2 +.*bob@host +cli +payload, timeoutMs +faster$/m,
  );
  expect(stdout).toMatch(/^ +1 +.*ann@host +cli +created/m);
  const { versions } = JSON.parse((await run('tasks', 'history', 'report', '-o', 'json')).stdout);
  expect(versions[0]).toMatchObject({ version: 2, savedBy: 'bob@host', definition: { payload: { a: 1 } } });
  expect(await run('tasks', 'history', 'nope')).toMatchObject({ code: 2 });
});
