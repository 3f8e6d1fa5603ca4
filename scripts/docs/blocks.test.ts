import { expect, test } from 'vitest';
import { blocksIn, typedLines } from './blocks.ts';

const TEXT = [
  '1. do:',
  '',
  '   ```sh',
  '   a \\',
  '     --b',
  '   c',
  '   ```',
  '',
  '```console',
  '$ d',
  'e',
  '```',
].join('\n');
const [script, session] = blocksIn('a.md', TEXT);

test('a block has its place, its language, and its lines without the indentation of the list in which it is', () => {
  expect(script).toEqual({ file: 'a.md', line: 4, language: 'sh', text: 'a \\\n  --b\nc' });
  expect(session).toEqual({ file: 'a.md', line: 10, language: 'console', text: '$ d\ne' });
});

test('of a script all lines are typed, and of a session those after the sign', () => {
  expect(script && typedLines(script)).toEqual(['a --b', 'c']);
  expect(session && typedLines(session)).toEqual(['d']);
});

test('a block without an end is refused', () => {
  expect(() => blocksIn('a.md', '```sh\na')).toThrow('a.md:1: the block has no end');
});
