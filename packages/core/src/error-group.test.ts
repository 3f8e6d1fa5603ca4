import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorGroupOf, exampleOf, type Failure } from './error-group.ts';

const stackOf = (file: string, line = 9) => `Error: x
    at fetchJson (/srv/app/node_modules/lib/index.js:3:1)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async run (file://${file}:${line}:11)
    at main (/srv/app/tasks/main.ts:1:1)`;
const failure = (message: string, more: Partial<Failure> = {}): Failure => ({
  taskName: 'import',
  error: { name: 'Error', message, stack: stackOf('/srv/app/tasks/import.ts') },
  reason: null,
  ...more,
});
const of = (message: string, more?: Partial<Failure>) => errorGroupOf(failure(message, more)).fingerprint;

test('what is shown of a group', () => {
  expect(
    errorGroupOf(failure('order 4711 of 3f2504e0-4f89-11d3-9a0c-0305e82c3301 timed out after 30.5 s\nmore')),
  ).toEqual({
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    name: 'Error',
    message: 'order # of # timed out after # s',
    frame: 'run (app/tasks/import.ts)',
  });
});

test('what one of a group said, as it said it', () => {
  expect(exampleOf(failure('order 4711 timed out after 30.5 s\nmore'))).toBe('order 4711 timed out after 30.5 s');
  expect(exampleOf({ error: null, reason: 'exit code 3' })).toBe('exit code 3');
});

describe('the same', () => {
  test.each([
    ['other numbers', 'order 1 failed', 'order 22 failed'],
    ['another id', 'no row 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'no row 9b2504e0-4f89-11d3-9a0c-0305e82c33ff'],
    ['another digest', 'commit deadbeef01 is bad', 'commit 0123456789abcdef is bad'],
    ['another time', 'at 2026-03-29T01:00:00.000Z', 'at 2027-11-01T11:22:33.444Z'],
    ['another address', 'connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED 10.0.0.19:6543'],
  ])('%s', (_, one, other) => expect(of(one)).toBe(of(other)));

  test('in another folder of another machine, at another line, in another task', () => {
    const stack = stackOf('/home/ann/app/tasks/import.ts', 77);
    expect(of('x', { taskName: 'other', error: { name: 'Error', message: 'x', stack } })).toBe(of('x'));
  });
});

describe('another', () => {
  test('word, class, file', () => {
    const error = { name: 'Error', message: 'order 1 failed', stack: stackOf('/srv/app/tasks/import.ts') };
    const all = [
      of('order 1 failed'),
      of('order 1 timed out'),
      of('', { error: { ...error, name: 'TypeError' } }),
      of('', { error: { ...error, stack: stackOf('/srv/app/tasks/export.ts') } }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test('task, where nothing was thrown', () => {
    const shell = (taskName: string) => errorGroupOf({ taskName, error: null, reason: 'exit code 3' });
    expect(shell('a')).toMatchObject({ name: null, message: 'exit code #', frame: null });
    expect(shell('a').fingerprint).not.toBe(shell('b').fingerprint);
  });
});

test('words that are no numbers or ids stay', () => {
  expect(errorGroupOf(failure('the added feedback decade faced a cafe')).message).toBe(
    'the added feedback decade faced a cafe',
  );
});

test('whatever is thrown has a group, soon', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ size: 'large' }), fc.string({ size: 'large' }), (name, message, stack) => {
      const group = errorGroupOf({ taskName: 't', error: { name, message, stack }, reason: null });
      expect(group.message.length).toBeLessThanOrEqual(300);
    }),
  );
});
