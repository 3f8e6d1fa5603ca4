import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkPayload } from './schema-check.ts';

const schema = z.object({
  days: z.int().default(3),
  to: z.array(z.object({ mail: z.email() })),
});

test('gives back what the schema makes of the payload', async () => {
  expect(await checkPayload('t', schema, { to: [] })).toEqual({ days: 3, to: [] });
});

test('names path, expected and got of each issue', async () => {
  await expect(checkPayload('t', schema, { days: 'x', to: [{ mail: 'a@b.de' }, { mail: 7 }] })).rejects.toMatchObject({
    code: 'payload_invalid',
    message:
      'the payload does not fit the schema of task "t": payload.days: Invalid input: expected number, received string ' +
      '(got "x"); payload.to[1].mail: Invalid input: expected string, received number (got 7)',
    issues: [
      { path: 'payload.days', got: '"x"' },
      { path: 'payload.to[1].mail', got: '7' },
    ],
  });
});

test('says that there is no payload at all', async () => {
  await expect(checkPayload('t', schema, undefined)).rejects.toThrow('payload: Invalid input: expected object');
  await expect(checkPayload('t', schema, undefined)).rejects.toThrow('(got nothing)');
});

test('cuts long values and takes any library that follows the standard', async () => {
  const other = {
    '~standard': {
      version: 1 as const,
      vendor: 'mine',
      validate: async () => ({ issues: [{ message: 'wrong', path: [{ key: 'a' }] }] }),
    },
  };
  await expect(checkPayload('t', other, { a: 'x'.repeat(500) })).rejects.toThrow(/payload\.a: wrong \(got "x{79}…\)$/);
});
