import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHandlers } from '@escapement/handlers';
import { built } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { record } from './context.ts';

const folder = built(new URL('fixtures/tasks', import.meta.url));
const handlers = createHandlers({ env: {}, shell: { allow: false }, secrets: () => undefined, execArgv: [] });
afterAll(() => handlers.stop());

async function problemsBy(path: string): Promise<Map<string, string>> {
  const { problems } = await handlers.load(path);
  return new Map(problems.map((problem) => [problem.code, `${problem.message} | ${problem.fix}`]));
}

test('a folder gives each of its tasks, whatever is wrong with its neighbours', async () => {
  const { tasks, problems } = await handlers.load(folder);
  expect(tasks.map(({ definition }) => definition.name)).toEqual(['greet']);
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
  expect(problems.get('bad_task')).toMatch(/misspelt\.js: .*"misspelt".*timeout.*did you mean timeoutMs/);
  expect(problems.get('duplicate_task')).toMatch(/"greet" of .*greet\.js is defined in .*another-greet\.js already/);
  expect(problems.get('not_a_task')).toMatch(
    /no-task\.js does not default-export a task \| write `export default defineTask/,
  );
  expect(problems.get('payload_invalid')).toMatch(/no-payload\.js: in scheduled runs .* \| give a defaultPayload/);
  expect(problems.get('task_import')).toMatch(/throws\.js cannot be imported: Error: no API key/);
});

test('a single module may be named', async () => {
  const { tasks, problems } = await handlers.load(join(folder, 'greet.js'));
  expect(problems).toEqual([]);
  expect(tasks[0]?.definition).toMatchObject({ name: 'greet', payload: { who: 'world' } });
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

test('a module that ends its process, or fails where nobody can catch it, is a problem of its own', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'escapement-tasks-'));
  try {
    await writeFile(join(temporary, 'exits.mjs'), 'process.exit(7)');
    await writeFile(join(temporary, 'strays.mjs'), "Promise.reject(new Error('no key')); await new Promise(() => {});");
    const { tasks, problems } = await handlers.load(temporary);
    expect(tasks).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/exits\.mjs cannot be imported: its process ended with exit code 7/),
      expect.stringMatching(/strays\.mjs cannot be imported: its process ended with exit code 1: .*no key/s),
    ]);
  } finally {
    await rm(temporary, { recursive: true });
  }
});

test('the code of a task is never in this process', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'escapement-tasks-'));
  try {
    await writeFile(join(temporary, 'marks.mjs'), 'globalThis.loadedHere = process.pid');
    await handlers.load(temporary);
    expect(globalThis).not.toHaveProperty('loadedHere');
  } finally {
    await rm(temporary, { recursive: true });
  }
});

test('a module whose import has failed is imported again, for its description and for a run', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'escapement-tasks-'));
  const [file, gate] = [join(temporary, 'late.mjs'), join(temporary, 'gate')];
  const lines = [
    "import { existsSync } from 'node:fs';",
    `if (!existsSync('${gate}')) throw new Error('not there yet');`,
    `const { default: task } = await import('${join(folder, 'greet.js')}');`,
    'export default task;',
  ];
  try {
    await writeFile(file, lines.join('\n'));
    expect((await problemsBy(file)).get('task_import')).toContain('not there yet');
    await writeFile(gate, '');
    expect(await problemsBy(file)).toEqual(new Map());
    await rm(gate);
    // Another limit of memory is another process, which has not imported it yet.
    const spec = { type: 'code', name: 'greet', memoryLimitMb: 300 } as const;
    const runOnce = () => handlers.lookup(spec)?.(record(spec, { who: 'world' }).context);
    expect(await runOnce()).toMatchObject({ status: 'failed', work: 'not_begun', error: { name: 'TaskNotLoaded' } });
    await writeFile(gate, '');
    expect(await runOnce()).toMatchObject({ status: 'succeeded' });
  } finally {
    await rm(temporary, { recursive: true });
  }
});
