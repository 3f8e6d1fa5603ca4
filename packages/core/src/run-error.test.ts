import { describe, expect, test } from 'vitest';
import { FatalError, RetryAfter, Skip } from './errors.ts';
import { outcomeOfThrown, toRunError } from './run-error.ts';

describe('toRunError', () => {
  test('keeps name, message, stack, cause and fields', () => {
    const error = Object.assign(new TypeError('no address', { cause: new Error('row 7') }), { code: 'E7', rows: [1] });
    expect(toRunError(error)).toMatchObject({
      name: 'TypeError',
      message: 'no address',
      stack: expect.stringContaining('run-error.test'),
      cause: { name: 'Error', message: 'row 7' },
      fields: { code: 'E7', rows: [1] },
    });
  });

  test.each([
    ['text', 'boom', { name: 'string', message: 'boom' }],
    ['undefined', undefined, { name: 'undefined', message: 'undefined' }],
    ['a symbol', Symbol('s'), { name: 'symbol', message: 'Symbol(s)' }],
    ['an object', { code: 3 }, { name: 'Object', message: '{"code":3}' }],
    ['an object without a prototype', Object.create(null), { name: 'Object', message: '{}' }],
  ])('describes %s, which is not an Error', (_, thrown, expected) => {
    expect(toRunError(thrown)).toEqual(expected);
  });

  test('replaces what Postgres cannot store', () => {
    const error = Object.assign(new Error('a\0b\ud800'), { 'k\0': '\0' });
    expect(toRunError(error)).toMatchObject({ message: 'a\ufffdb\ufffd', fields: { 'k\ufffd': '\ufffd' } });
  });

  test('survives cycles, failing getters and hostile proxies', () => {
    const cycle: Record<string, unknown> = { message: 'round', big: 1n };
    cycle.self = cycle;
    expect(toRunError(cycle).fields).toMatchObject({ big: '1' });
    const getter = {
      get message() {
        throw new Error('no');
      },
    };
    expect(toRunError(getter).message).toContain('cannot be read: no');
    const refuse = () => {
      throw new Error('no');
    };
    const hostile = new Proxy({}, { get: refuse, ownKeys: refuse, getPrototypeOf: refuse });
    expect(outcomeOfThrown(hostile, new Date(0))).toMatchObject({ status: 'failed' });
  });

  test('bounds message, fields and the chain of causes', () => {
    const endless = new Error('x'.repeat(100_000));
    endless.cause = endless;
    const error = toRunError(Object.assign(endless, { body: 'y'.repeat(100_000), more: 'z'.repeat(5_000) }));
    expect(JSON.stringify(error).length).toBeLessThan(200_000);
    expect(error.fields).toEqual({ dropped: expect.stringContaining('at most') });
  });

  test('says what the parts of an AggregateError were', () => {
    const error = toRunError(new AggregateError([new Error('one'), new Error('two')], 'all failed'));
    expect(error.fields).toEqual({ errors: ['Error: one', 'Error: two'] });
  });
});

describe('outcomeOfThrown', () => {
  const now = new Date('2025-01-01T00:00:00Z');

  test('an ordinary error is left to the retry policy', () => {
    expect(outcomeOfThrown(new Error('x'), now)).toEqual({ status: 'failed', error: expect.anything() });
  });

  test.each([
    ['FatalError', new FatalError('x')],
    ['a subclass of FatalError', new (class Mine extends FatalError {})('x')],
    ["another copy's FatalError", Object.assign(new Error('x'), { name: 'FatalError' })],
  ])('%s is never retried', (_, thrown) => {
    expect(outcomeOfThrown(thrown, now)).toMatchObject({ status: 'failed', retry: 'never' });
  });

  test.each([
    ['milliseconds', 5000, '2025-01-01T00:00:05.000Z'],
    ['an instant', new Date('2025-02-01T00:00:00Z'), '2025-02-01T00:00:00.000Z'],
    ['a negative number: now', -1, '2025-01-01T00:00:00.000Z'],
  ])('RetryAfter takes %s', (_, at, expected) => {
    expect(outcomeOfThrown(new RetryAfter(at), now)).toMatchObject({ retry: { at: new Date(expected) } });
  });

  test('RetryAfter beyond what the ledger can keep is its last instant', () => {
    expect(outcomeOfThrown(new RetryAfter(8e15), now)).toMatchObject({
      retry: { at: new Date('9999-12-31T23:59:59.999Z') },
    });
  });

  test('RetryAfter without a usable instant is left to the retry policy', () => {
    expect(outcomeOfThrown(new RetryAfter(Number.NaN), now)).not.toHaveProperty('retry');
  });

  test('Skip skips with its reason', () => {
    expect(outcomeOfThrown(new Skip('no mail today'), now)).toEqual({ status: 'skipped', reason: 'no mail today' });
  });
});
