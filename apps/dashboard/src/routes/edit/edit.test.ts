import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Draft, edited, editsOf, parsed, withPart } from './draft.ts';
import { numberOf, unitOf } from './schedule-values.ts';

const cron = { kind: 'cron', expression: '0 2 * * *', timeZone: 'UTC' };

test('what has not changed is not sent, so that what others change stays', () => {
  const from = { name: 'a', schedule: cron, retry: { maxAttempts: 3 }, labels: { team: 'shop' } };
  const to = { name: 'a', schedule: { ...cron, expression: '0 3 * * *' }, labels: { team: 'shop', env: 'test' } };
  expect(editsOf(from, to)).toEqual([
    { unset: ['retry'] },
    { set: ['schedule', 'expression'], value: '0 3 * * *' },
    { set: ['labels', 'env'], value: 'test' },
  ]);
});

test('a schedule of another kind is set as a whole', () => {
  expect(editsOf({ schedule: cron }, { schedule: { kind: 'manual' } })).toEqual([
    { set: ['schedule'], value: { kind: 'manual' } },
  ]);
});

test('what the API would not take as a path is set with what it stands in', () => {
  expect(editsOf({ labels: { a: 1 } }, { labels: { a: 1, '': 2 } })).toEqual([
    { set: ['labels'], value: { a: 1, '': 2 } },
  ]);
  expect(editsOf({ a: 1 }, { a: 1, type: 'odd' })).toEqual([{ set: ['type'], value: 'odd' }]);
  const many = Object.fromEntries(Array.from({ length: 1200 }, (_, n) => [`k${n}`, n]));
  expect(editsOf({ labels: { k0: 1, k1: 0 } }, { labels: many })).toEqual([{ set: ['labels'], value: many }]);
});

test('a payload whose own `type` changes is no handler: only what differs is sent', () => {
  const from = { handler: { type: 'http', body: { type: 'a', token: '***' } } };
  const to = { handler: { type: 'http', body: { type: 'b', token: '***' } } };
  expect(editsOf(from, to)).toEqual([{ set: ['handler', 'body', 'type'], value: 'b' }]);
});

test('what was taken out of a part that others have taken away makes no part', () => {
  expect(edited({ name: 'a' }, [{ unset: ['retry', 'maxAttempts'] }])).toEqual({ name: 'a' });
});

test('a number is what is typed so far; a unit is one of which a span is a whole number', () => {
  expect([numberOf('1.'), numberOf(''), numberOf(3)]).toEqual([1, undefined, 3]);
  expect([unitOf(90_000), unitOf(7_200_000), unitOf(undefined)]).toEqual(['s', 'h', 'h']);
});

test('edits of one definition make the other, whatever is in them', () => {
  const json = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { noNullPrototype: true });
  const withoutProto = json.filter((value) => !JSON.stringify(value).includes('__proto__'));
  fc.assert(
    fc.property(withoutProto, withoutProto, (from, to) => {
      expect(edited(from as Draft, editsOf(from, to))).toEqual(to);
    }),
  );
});

test('a part is put where it was, and made where it was not', () => {
  expect(Object.keys(withPart({ a: 1, b: 2 }, ['a'], 3))).toEqual(['a', 'b']);
  expect(withPart({}, ['retry', 'maxAttempts'], 3)).toEqual({ retry: { maxAttempts: 3 } });
  expect(withPart({ a: 1 }, ['a'], undefined)).toEqual({});
  expect(withPart({ a: 1 }, ['retry', 'maxAttempts'], undefined)).toEqual({ a: 1 });
});

test('text that is no object is no definition', () => {
  expect([parsed('{"a":1}'), parsed('[1]'), parsed('{')]).toEqual([{ a: 1 }, undefined, undefined]);
});
