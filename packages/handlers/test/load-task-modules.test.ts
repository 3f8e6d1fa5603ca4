import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTaskModules } from '@escapement/handlers';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('fixtures/tasks', import.meta.url));

async function problemsBy(path: string): Promise<Map<string, string>> {
  const { problems } = await loadTaskModules(path);
  return new Map(problems.map((problem) => [problem.code, `${problem.message} | ${problem.fix}`]));
}

test('a folder gives each of its tasks, whatever is wrong with its neighbours', async () => {
  const { tasks, problems } = await loadTaskModules(folder);
  expect(tasks.map(({ task }) => task.name)).toEqual(['greet']);
  expect(problems.map((problem) => problem.code).sort()).toEqual([
    'bad_task',
    'duplicate_task',
    'not_a_task',
    'payload_invalid',
    'task_import',
  ]);
});

test('each problem names its file and what to do', async () => {
  const problems = await problemsBy(folder);
  expect(problems.get('bad_task')).toMatch(/misspelt\.ts: .*"misspelt".*timeout.*did you mean timeoutMs/);
  expect(problems.get('duplicate_task')).toMatch(/"greet" of .*greet\.ts is defined in .*another-greet\.ts already/);
  expect(problems.get('not_a_task')).toMatch(
    /no-task\.ts does not default-export a task \| write `export default defineTask/,
  );
  expect(problems.get('payload_invalid')).toMatch(/no-payload\.ts: in scheduled runs .* \| give a defaultPayload/);
  expect(problems.get('task_import')).toMatch(/throws\.ts cannot be imported: Error: no API key/);
});

test('a single module may be named', async () => {
  const { tasks, problems } = await loadTaskModules(join(folder, 'greet.ts'));
  expect(problems).toEqual([]);
  expect(tasks[0]?.task.toDefinition()).toMatchObject({ name: 'greet', payload: { who: 'world' } });
});

test('a path that is not there is a problem, not a crash', async () => {
  expect(await problemsBy('/no/such/folder')).toEqual(
    new Map([['tasks_not_found', expect.stringContaining('no tasks at /no/such/folder')]]),
  );
});

test('a module that does not parse is a problem of its own', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'escapement-tasks-'));
  try {
    await writeFile(join(temporary, 'broken.mjs'), 'export default {');
    expect((await problemsBy(temporary)).get('task_import')).toContain('broken.mjs cannot be imported');
  } finally {
    await rm(temporary, { recursive: true });
  }
});
