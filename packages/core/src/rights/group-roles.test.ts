import { expect, test } from 'vitest';
import { grantOfGroups, parseGroupRoles } from './group-roles.ts';

const MAP = `[
  { "group": "platform", "role": "admin" },
  { "group": "cn=shop,dc=example", "role": "editor", "rights": ["shell", "run-as", "shell"], "scope": "team=shop" }
]`;

test('groups are read with roles, rights and the tasks they are for', () => {
  const read = parseGroupRoles(MAP);
  expect(read.roles).toEqual([
    { group: 'platform', role: 'admin', rights: [], scope: null },
    { group: 'cn=shop,dc=example', role: 'editor', rights: ['run-as', 'shell'], scope: 'team=shop' },
  ]);
  expect(read.toString()).toBe(MAP);
});

test.each([
  ['no JSON', 'ops=admin'],
  ['no list', '{}'],
  ['nobody', '[]'],
  ['no role of ours', '[{"group":"a","role":"root"}]'],
  ['no right of ours', '[{"group":"a","role":"viewer","rights":["access"]}]'],
  ['no group', '[{"role":"viewer"}]'],
  ['an empty group', '[{"group":"","role":"viewer"}]'],
  ['a group twice', '[{"group":"a","role":"viewer"},{"group":"a","role":"admin"}]'],
  ['a field that means nothing', '[{"group":"a","role":"viewer","scopes":"team=shop"}]'],
])('%s is refused', (_, text) => {
  expect(() => parseGroupRoles(text)).toThrow(/roles of groups/);
});

test('a scope that is no selector is refused', () => {
  expect(() => parseGroupRoles('[{"group":"a","role":"viewer","scope":"team="}]')).toThrow();
});

test.each([
  [['platform', 'cn=shop,dc=example'], 'admin'],
  [['cn=shop,dc=example', 'platform'], 'admin'],
  [['others', 'cn=shop,dc=example'], 'editor'],
  [['Platform', 'platform '], undefined],
  [[], undefined],
])('members of %j are granted %s: the first entry counts', (groups, role) => {
  expect(grantOfGroups(groups, parseGroupRoles(MAP))?.role).toBe(role);
});
