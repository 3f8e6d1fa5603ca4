import { expect, test } from 'vitest';
import { handlerSpec } from './handler-spec.ts';

function problemsOf(spec: unknown): string[] {
  const parsed = handlerSpec.safeParse(spec);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('code says where it runs', () => {
  expect(problemsOf({ type: 'code', name: 'a' })).toEqual([]);
  expect(problemsOf({ type: 'code', name: 'a', isolation: 'inline' })).toEqual([]);
  expect(problemsOf({ type: 'code', name: 'a', isolation: 'process', memoryLimitMb: 64 })).toEqual([]);
  expect(problemsOf({ type: 'code', name: 'a', isolation: 'thread' })).toHaveLength(1);
});

test('what has no choice says why it takes none', () => {
  expect(problemsOf({ type: 'shell', command: 'true', isolation: 'process' })).toEqual([
    'isolation: only code tasks take it: a shell line always has processes of its own',
  ]);
  expect(problemsOf({ type: 'http', url: 'https://example.com', isolation: 'inline' })).toEqual([
    expect.stringMatching(/^isolation: only code tasks take it: a request runs none of your code/),
  ]);
});
