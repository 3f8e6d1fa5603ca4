import { expect, test } from 'vitest';
import { resolveSecrets } from './secrets.ts';

test('resolveSecrets puts secrets in their places and lists what to mask', () => {
  const lookup = (name: string) => (name === 'TOKEN' ? 'hunter2' : undefined);
  expect(resolveSecrets({ A: 'plain', B: { secret: 'TOKEN' } }, lookup)).toEqual({
    values: { A: 'plain', B: 'hunter2' },
    secrets: ['hunter2'],
  });
});

test('resolveSecrets names all that are missing, and what to do', () => {
  expect(() => resolveSecrets({ A: { secret: 'ONE' }, B: { secret: 'TWO' } }, () => undefined)).toThrow(
    expect.objectContaining({
      code: 'secret_missing',
      message: 'this worker has no secret "ONE", "TWO"',
      fix: expect.stringContaining('environment'),
    }),
  );
});
