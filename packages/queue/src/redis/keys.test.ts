import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkNamespace, leaseKey, parseLeaseKey, queuePrefix, runJobId } from './keys.ts';

test('a lease key tells its namespace, key and slot again, whatever the key is made of', () => {
  const key = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a}:lease:1', '{', '}', 'a:b', 'line\nbreak'));
  fc.assert(
    fc.property(key, fc.nat(1000), (text, slot) => {
      expect(parseLeaseKey(leaseKey('prod', text, slot))).toEqual({ namespace: 'prod', key: text, slot });
    }),
  );
});

test('keys that are no lease are none', () => {
  expect(parseLeaseKey(`${queuePrefix('prod', 'default')}:default:wait`)).toBeUndefined();
});

test('a namespace that could reach into another is refused', () => {
  expect(checkNamespace('team-a.prod')).toBe('team-a.prod');
  for (const bad of ['', 'a:b', 'a}', '{a', 'a b', '-a', 'x'.repeat(64)])
    expect(() => checkNamespace(bad)).toThrow(expect.objectContaining({ code: 'bad_namespace' }));
});

test('BullMQ takes the job ids: no colon, not digits only', () => {
  expect(runJobId('0198c1a2-7000-7000-8000-000000000001', 2)).toBe('r_0198c1a2-7000-7000-8000-000000000001_2');
});
