import { expect, test } from 'vitest';
import { hashPassword, isPassword, newPassword } from './password.ts';

test('a hash says how it was made, is never the same twice, and knows its password', async () => {
  const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).toMatch(/^scrypt:15:8:3:[\w+/=]{24}:[\w+/=]{44}$/);
  expect(one).not.toBe(other);
  expect(await isPassword('correct horse', one)).toBe(true);
  expect(await isPassword('correct horse ', one)).toBe(false);
});

test('what looks alike is the same, however it was typed', async () => {
  const composed = 'caf\u00e9 au lait'.padEnd(12);
  expect(await isPassword(composed.normalize('NFD'), await hashPassword(composed))).toBe(true);
});

test.each(['', 'short', 'x'.repeat(1025)])('a password of %# is refused', async (password) => {
  await expect(hashPassword(password)).rejects.toMatchObject({ code: 'bad_password' });
});

test.each([
  '',
  'scrypt',
  'plain:secret',
  'scrypt:31:8:1:AAAAAAAAAAAAAAAAAAAAAA==:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
])('%j is the hash of no password', async (hash) => {
  expect(await isPassword('correct horse', hash)).toBe(false);
});

test('a password that is longer than any is not the one that it begins with', async () => {
  const longest = 'x'.repeat(1024);
  const hash = await hashPassword(longest);
  expect(await isPassword(`${longest}y`, hash)).toBe(false);
  expect(await isPassword(longest, hash)).toBe(true);
});

test('a new password has 160 bits', () => {
  expect(new Set(Array.from({ length: 100 }, newPassword)).size).toBe(100);
  expect(newPassword()).toMatch(/^[\w-]{27}$/);
});
