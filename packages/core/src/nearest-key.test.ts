import { expect, test } from 'vitest';
import { z } from 'zod';
import { nearestKeyIn } from './nearest-key.ts';

const named = z.strictObject({ timeoutMs: z.number(), at: z.string().transform((text) => new Date(text)) });
const schema = z.strictObject({ tasks: z.array(named.meta({ id: 'NamedForTest' })), first: named });

test('a key within a schema that has a name is found as any other', () => {
  expect(nearestKeyIn(schema, ['tasks', 3], 'timoutMs')).toBe('timeoutMs');
  expect(nearestKeyIn(schema, ['first'], 'timoutMs')).toBe('timeoutMs');
  expect(nearestKeyIn(schema, [], 'taks')).toBe('tasks');
});

test('a key of another object, or one that is spelt right, is near to none', () => {
  expect(nearestKeyIn(schema, [], 'timoutMs')).toBeUndefined();
  expect(nearestKeyIn(schema, ['first'], 'timeoutMs')).toBeUndefined();
});
