import { fileURLToPath } from 'node:url';
import type { HandlerSpec, Json } from '@escapement/core';
import { createHandlers, loadTaskModules } from '@escapement/handlers';
import { expect, test } from 'vitest';
import { record } from './context.ts';

const { tasks } = await loadTaskModules(fileURLToPath(new URL('fixtures/tasks/another-greet.ts', import.meta.url)));
const greet = await loadTaskModules(fileURLToPath(new URL('fixtures/tasks/greet.ts', import.meta.url)));

function run(spec: HandlerSpec, payload?: Json, known = greet.tasks, secretValues: string[] = []) {
  const shell = { allow: true, workerEnv: { PATH: '/usr/bin:/bin' } };
  const { lookup } = createHandlers({ shell, secrets: () => undefined, tasks: known, secretValues });
  const recorded = record(spec, payload);
  return { outcome: lookup(spec)?.(recorded.context), ...recorded };
}

test('a code task runs, and its log and output are kept', async () => {
  const { outcome, logged } = run({ type: 'code', name: 'greet', isolation: 'inline' }, { who: 'Ann' });
  expect(await outcome).toEqual({ status: 'succeeded', output: { who: 'Ann' } });
  expect(logged()).toMatch(/^\S+Z INFO {2}hello Ann\n$/);
});

test('secrets of the worker are masked in its log', async () => {
  const spec = { type: 'code', name: 'greet', isolation: 'inline' } as const;
  const { outcome, logged } = run(spec, { who: 'hunter22' }, greet.tasks, ['hunter22']);
  expect((await outcome)?.status).toBe('succeeded');
  expect(logged()).toMatch(/hello \*\*\*\n$/);
});

test('a payload that does not fit ends the run before it begins, for good', async () => {
  const { outcome, logged } = run({ type: 'code', name: 'greet', isolation: 'inline' }, { who: 7 });
  expect(await outcome).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringMatching(/payload\.who: .*expected string.*\(got 7\)/) },
  });
  expect(logged()).toBe('');
});

test('a code task that this worker does not have has no handler here', () => {
  expect(run({ type: 'code', name: 'unknown' }).outcome).toBeUndefined();
});

test('shell tasks go to the shell', async () => {
  expect(await run({ type: 'shell', command: 'exit 4' }).outcome).toMatchObject({ status: 'failed', exitCode: 4 });
});

test('tasks may be handed over one by one', async () => {
  expect(await run({ type: 'code', name: 'greet', isolation: 'inline' }, undefined, tasks).outcome).toEqual({
    status: 'succeeded',
    output: 'somebody else',
  });
});
