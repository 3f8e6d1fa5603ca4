import { expect, test } from 'vitest';
import { editDefinition } from './edit-definition.ts';

const definition = { name: 'a', retry: { maxAttempts: 3 }, payload: [1], labels: { 'a.b/c': 'x' } };

test('what is set replaces all that was there, and makes what leads to it', () => {
  expect(
    editDefinition(definition, [
      { set: ['retry'], value: { delayMs: 1 } },
      { set: ['handler', 'env', 'A'], value: 'b' },
      { set: ['payload', 'now'], value: null },
    ]),
  ).toEqual({ ...definition, retry: { delayMs: 1 }, handler: { env: { A: 'b' } }, payload: { now: null } });
  expect(definition.payload).toEqual([1]);
});

test('a name may have dots in it, and what is unset is gone', () => {
  expect(editDefinition(definition, [{ unset: ['labels', 'a.b/c'] }])).toEqual({ ...definition, labels: {} });
});

test.each([
  [{ unset: ['retry', 'maxAttempt'] }, 'no "maxAttempt" to remove', 'did you mean maxAttempts?'],
  [{ unset: ['labels', 'b'] }, 'no "b" to remove', 'there is a.b/c'],
  [{ unset: ['name', 'x'] }, 'no "x" to remove', 'it has no fields'],
  [{ unset: [] }, '"" is no path', 'names with dots'],
  [{ set: ['__proto__', 'x'], value: 1 }, '"__proto__.x" is no path', 'names with dots'],
])('%j is refused', (edit, message, fix) => {
  expect(() => editDefinition(definition, [edit])).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message), fix: expect.stringContaining(fix) }),
  );
});
