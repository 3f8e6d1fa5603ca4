import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitOutcome } from './admit-outcome.ts';
import type { HandlerOutcome } from './handler.ts';
import { isInstantMs } from './instant.ts';
import { type Json, storableText } from './json.ts';

const nested = (levels: number): Json => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

test('an outcome that can be kept is kept as it is', () => {
  const outcomes: HandlerOutcome[] = [
    { status: 'succeeded' },
    {
      ...{ status: 'succeeded', output: { a: ['\u202eabc', 2 ** 53] }, exitCode: 3 },
      effects: {
        state: { value: { at: 1 }, version: 4, shape: 1 },
        next: new Date('2030-01-01T00:00:00Z'),
        chain: [{ task: 'a' }, { task: 'b', payload: null }],
      },
    },
    { status: 'skipped', reason: 'nothing to do' },
    {
      ...{ status: 'failed', retry: { at: new Date(5) }, work: 'cut_off', seen: 'its loop hung', exitCode: 1 },
      error: { name: 'E', message: 'm', stack: 's', fields: { status: 503 }, cause: { name: 'C', message: 'c' } },
    },
  ];
  for (const outcome of outcomes) expect(admitOutcome(outcome)).toEqual(outcome);
});

describe('values that programs go on with', () => {
  const state = { version: 0, shape: 1 };
  test.each<[string, HandlerOutcome, string]>([
    ['NUL in the output', { status: 'succeeded', output: { a: 'x\0' } }, 'json_nul'],
    ['half a surrogate pair in a key', { status: 'succeeded', output: { '\ud800': 1 } }, 'json_lone_surrogate'],
    ['10,000 levels', { status: 'succeeded', output: nested(10_000) }, 'json_too_deep'],
    ['__proto__', { status: 'succeeded', output: JSON.parse('{"__proto__":{"x":1}}') }, 'json_forbidden_key'],
    ['NaN', { status: 'succeeded', output: Number.NaN }, 'not_json'],
    ['a megabyte', { status: 'succeeded', output: 'x'.repeat(1_000_000) }, 'json_too_large'],
    ['NUL in the state', { status: 'succeeded', effects: { state: { value: '\0', ...state } } }, 'json_nul'],
    [
      'a state of version 2^53',
      { status: 'succeeded', effects: { state: { ...state, value: 1, shape: 2 ** 53 } } },
      'not_json',
    ],
    ['NUL in a payload', { status: 'succeeded', effects: { chain: [{ task: 'a', payload: ['\0'] }] } }, 'json_nul'],
    ['NUL in the name of a task', { status: 'succeeded', effects: { chain: [{ task: 'a\0' }] } }, 'unknown_task'],
    ['the year 0', { status: 'succeeded', effects: { next: new Date('0000-01-01T00:00:00Z') } }, 'bad_instant'],
    ['1969', { status: 'succeeded', effects: { next: new Date(-1) } }, 'bad_instant'],
    ['the year 275760', { status: 'succeeded', effects: { next: new Date(8.64e15) } }, 'bad_instant'],
    ['no date', { status: 'succeeded', effects: { next: new Date(Number.NaN) } }, 'bad_instant'],
  ])('%s ends the attempt, once: it has failed, and is not tried again', (_, outcome, code) => {
    const admitted = admitOutcome(outcome);
    expect(admitted).toMatchObject({ status: 'failed', retry: 'never', error: { fields: { code } } });
    expect(storableText(JSON.stringify(admitted))).toBe(JSON.stringify(admitted));
  });
});

const TEXT = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', 'x'.repeat(1_000_000), '\u202e', ''),
);
const JSON_VALUE = fc.oneof(fc.jsonValue() as fc.Arbitrary<Json>, TEXT, fc.constant(nested(10_000)));
const MS = fc.oneof(fc.constantFrom(Number.NaN, -1, 8.64e15, -8.64e15, -62_167_219_200_000), fc.integer());
const error = fc.record(
  {
    name: TEXT,
    message: TEXT,
    stack: TEXT,
    fields: fc.dictionary(TEXT, JSON_VALUE),
    cause: fc.record({ name: TEXT, message: TEXT }),
  },
  { requiredKeys: ['name', 'message'] },
);
const number = fc.oneof(fc.double(), fc.integer());

const OUTCOME = fc.oneof(
  fc.record(
    {
      status: fc.constant('succeeded' as const),
      output: JSON_VALUE,
      exitCode: number,
      effects: fc.record(
        {
          state: fc.record({ value: JSON_VALUE, version: number, shape: number }),
          next: fc.option(MS.map((ms) => new Date(ms))),
          chain: fc.array(fc.record({ task: TEXT, payload: JSON_VALUE }, { requiredKeys: ['task'] }), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['status'] },
  ),
  fc.record({ status: fc.constant('skipped' as const), reason: TEXT }),
  fc.record(
    {
      ...{ status: fc.constant('failed' as const), error, exitCode: number, seen: TEXT },
      retry: fc.oneof(fc.constant('never' as const), fc.record({ at: MS.map((ms) => new Date(ms)) })),
    },
    { requiredKeys: ['status', 'error'] },
  ),
);

/** All texts of a value, and the names of its fields. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

test('whatever a handler says, it ends as something that Postgres can keep (property)', () => {
  fc.assert(
    fc.property(OUTCOME, (given) => {
      const admitted = admitOutcome(given);
      expect(textsIn(admitted).filter((text) => storableText(text) !== text)).toEqual([]);
      expect(JSON.stringify(admitted).length).toBeLessThan(1_000_000);
      if ('exitCode' in admitted) expect(Math.abs(admitted.exitCode ?? 0)).toBeLessThan(2 ** 31);
      if (admitted.status === 'failed' && typeof admitted.retry === 'object')
        expect(isInstantMs(admitted.retry.at.getTime())).toBe(true);
      if (admitted.status === 'succeeded' && admitted.effects?.next)
        expect(isInstantMs(admitted.effects.next.getTime())).toBe(true);
    }),
  );
});
