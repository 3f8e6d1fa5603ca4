import { expect, test } from 'vitest';
import { type FolderEntry, type NameRule, scriptsIn } from './names.ts';

const file = (name: string, more: Partial<FolderEntry> = {}): FolderEntry => ({
  ...{ name, kind: 'file', executable: true },
  ...more,
});
const debian = (more: Partial<Extract<NameRule, { kind: 'debian' }>> = {}): NameRule => ({
  ...{ kind: 'debian', lsb: false, pattern: undefined },
  ...more,
});
const names = (all: readonly string[], rule: NameRule) =>
  scriptsIn(
    all.map((name) => file(name)),
    rule,
  ).names;

test('scripts come in the order of the bytes of their names', () => {
  expect(names(['b', 'A', '10x', '9x', 'a_b', 'a-b', 'a'], debian())).toEqual([
    '10x',
    '9x',
    'A',
    'a',
    'a-b',
    'a_b',
    'b',
  ]);
});

test('what is left out is told, with why; files that begin with a dot are not worth a word', () => {
  const { names: taken, left } = scriptsIn(
    [
      file('.placeholder'),
      file('backup'),
      file('backup.sh'),
      file('data', { executable: false }),
      file('gone', { kind: 'nowhere', executable: false }),
      file('more', { kind: 'folder' }),
    ],
    debian(),
  );
  expect(taken).toEqual(['backup']);
  expect(left).toEqual([
    { name: 'backup.sh', why: 'run-parts runs no file of such a name' },
    { name: 'data', why: 'nobody may execute it' },
    { name: 'gone', why: 'it is a link to what is not there' },
    { name: 'more', why: 'it is a folder' },
  ]);
});

test('--lsbsysinit admits names with dots before a hyphen, and nothing that dpkg has left', () => {
  const all = ['lanana1', 'org.example-job', '_org.example-job', 'Debian_name', 'a.sh', 'a-b.dpkg-old'];
  expect(names(all, debian({ lsb: true }))).toEqual(['_org.example-job', 'lanana1', 'org.example-job']);
});

test('an expression says which names alone', () => {
  expect(names(['a.sh', 'b', 'c.sh~'], debian({ pattern: /\.sh$/ }))).toEqual(['a.sh']);
});

test('the script of cronie takes names with dots, leaves what package managers leave, and goes by its two lists', () => {
  const all = ['0anacron', 'a.sh', 'b~', 'c,v', 'd.rpmsave', 'e.swp', 'f', 'g'];
  const deny = new Set(['f']);
  expect(names(all, { kind: 'cronie', deny, allow: undefined })).toEqual(['0anacron', 'a.sh', 'g']);
  expect(names(all, { kind: 'cronie', deny, allow: new Set(['a.sh', 'f']) })).toEqual(['a.sh']);
});
