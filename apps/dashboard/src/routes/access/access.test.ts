import { expect, test } from 'vitest';
import { canGrant, grantedOf, isLastAdmin, type User } from './grant.ts';
import { newPassword } from './new-password.ts';
import { stateOf } from './token-state.ts';

const user = (id: string, over: Partial<User> = {}): User => ({
  ...{ id, name: id, role: 'admin', rights: [], scope: null, createdAt: '', createdBy: '', passwordAt: '' },
  ...{ issuer: null, disabled: null },
  ...over,
});

test('a grant has no rights beside a role that has all, and no empty scope', () => {
  expect(grantedOf({ role: 'admin', rights: ['shell'], scope: ' ' })).toEqual({ role: 'admin', rights: [] });
  expect(grantedOf({ role: 'editor', rights: ['shell'], scope: ' team=shop ' })).toEqual({
    role: 'editor',
    rights: ['shell'],
    scope: 'team=shop',
  });
});

test('who is disabled, or an admin of some tasks, makes no users; the last one who does is known', () => {
  expect(canGrant(user('ann'))).toBe(true);
  expect(canGrant(user('ann', { scope: 'team=shop' }))).toBe(false);
  expect(canGrant(user('ann', { disabled: 'by-admin' }))).toBe(false);
  const ann = user('ann');
  expect(isLastAdmin(ann, [ann, user('bob', { role: 'viewer' })])).toBe(true);
  expect(isLastAdmin(ann, [ann, user('bob')])).toBe(false);
  expect(isLastAdmin(user('bob', { role: 'viewer' }), [ann])).toBe(false);
});

test('a token is in use until it ends or is revoked', () => {
  const now = Date.parse('2026-11-01T00:00:00Z');
  const [before, after] = ['2026-10-31T00:00:00Z', '2026-11-02T00:00:00Z'];
  expect(stateOf({ revokedAt: null, expiresAt: null }, now)).toBe('active');
  expect(stateOf({ revokedAt: null, expiresAt: after }, now)).toBe('active');
  expect(stateOf({ revokedAt: null, expiresAt: before }, now)).toBe('expired');
  expect(stateOf({ revokedAt: before, expiresAt: before }, now)).toBe('revoked');
});

test('a password that is made up has 160 random bits, in characters that need no quotes', () => {
  expect(newPassword()).toMatch(/^[\w-]{27}$/);
  expect(newPassword()).not.toBe(newPassword());
});
