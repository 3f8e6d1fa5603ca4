import type { HandlerSpec, Json } from '@escapement/core';
import { judgeSecret, parseSecretRules } from '@escapement/core/secrets';
import { createHandlers, type SecretLookup } from '@escapement/handlers';
import { expect, test } from 'vitest';
import { record } from './context.ts';
import greet from './fixtures/tasks/greet.ts';

function run(spec: HandlerSpec, payload?: Json, secretValues: string[] = []) {
  const shell = { allow: true };
  const env = { PATH: '/usr/bin:/bin' };
  const { lookup } = createHandlers({ env, shell, secrets: () => undefined, modules: [greet], secretValues });
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
  const { outcome, logged } = run(spec, { who: 'hunter22' }, ['hunter22']);
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

test.each<HandlerSpec>([
  { type: 'shell', command: 'true', env: { A: { secret: 'PAY' } } },
  { type: 'http', url: 'https://x.example/', headers: { A: { secret: 'PAY' } } },
  { type: 'code', name: 'greet', isolation: 'inline', secrets: ['PAY'] },
])('a secret that is bound to others ends a run before it begins, for good, with the binding: $type', async (spec) => {
  const rules = parseSecretRules('PAY tasks=pay-* pools=pay hosts=pay.example');
  const secrets: SecretLookup = (name, use) => {
    const bound = judgeSecret(rules, name, use);
    if (bound) throw bound;
    return 'hunter22';
  };
  const { lookup } = createHandlers({ env: {}, shell: { allow: true }, secrets, modules: [greet] });
  const { context } = record(spec, { who: 'Ann' });
  expect(await lookup(spec)?.(context)).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: {
      message: expect.stringMatching(
        /"PAY" is not for task nightly of pool default.* bound to tasks pay-\*, pools pay, http requests to pay\.example/,
      ),
      fields: { code: 'secret_bound' },
    },
  });
});

test('shell tasks go to the shell', async () => {
  expect(await run({ type: 'shell', command: 'exit 4' }).outcome).toMatchObject({ status: 'failed', exitCode: 4 });
});
