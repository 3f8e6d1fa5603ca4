import { expect, it } from 'vitest';
import { persist } from './persist.ts';

/** Fails in each of these ways, then answers. */
function failing(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'done';
  };
}

const refusal = (code: string) => Object.assign(new Error(`refused with ${code}`), { code });

it.each([
  ['a table that was locked for too long', '55P03'],
  ['a statement that took too long', '57014'],
  ['a full disk', '53100'],
  ['a deadlock', '40P01'],
  ['a standby that is being promoted', '25006'],
  ['a server that is shutting down', '57P01'],
])('asks again after %s', async (_, code) => {
  expect(await persist(failing(refusal(code)), () => true)).toBe('done');
});

it('asks once where the statement itself is refused', async () => {
  await expect(persist(failing(refusal('22021')), () => true)).rejects.toThrow('22021');
});

it('asks once where there is no more time', async () => {
  await expect(persist(failing(refusal('55P03')), () => false)).rejects.toThrow('55P03');
});
