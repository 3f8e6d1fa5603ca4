import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Draft, edited, editsOf, parsed, withPart } from './draft.ts';

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
});

test('text that is no object is no definition', () => {
  expect([parsed('{"a":1}'), parsed('[1]'), parsed('{')]).toEqual([{ a: 1 }, undefined, undefined]);
});
