import { expect, test } from 'vitest';
import { type Column, tableLines, textWidth, wrap } from './table.ts';

type Row = [string, string];
const COLUMNS: Column<Row>[] = [
  { title: 'COUNT', value: ([count]) => count, align: 'right' },
  { title: 'NOTES', value: ([, notes]) => notes, wraps: true },
];

test('columns are as wide as their widest value', () => {
  expect(
    tableLines<Row>(
      [
        ['1', 'a'],
        ['1000000', 'b c'],
      ],
      COLUMNS,
      undefined,
    ),
  ).toEqual(['  COUNT  NOTES', '      1  a', '1000000  b c']);
});

test('a column that may wrap takes what the terminal leaves', () => {
  const lines = tableLines<Row>([['1', 'one two three four five six seven']], COLUMNS, 32);
  expect(lines).toEqual(['COUNT  NOTES', '    1  one two three four five', '       six seven']);
});

test('without a terminal nothing is broken', () => {
  expect(tableLines<Row>([['1', 'x '.repeat(200)]], COLUMNS, undefined)).toHaveLength(2);
});

test('a line break in a value does not break the table', () => {
  expect(tableLines<Row>([['1', 'a\n b']], COLUMNS, undefined).at(-1)).toBe('    1  a ⏎ b');
});

test('no row is a table too', () => {
  expect(tableLines<Row>([], COLUMNS, 80)).toEqual(['COUNT  NOTES']);
});

test('a word that is too long is cut', () => {
  expect(wrap('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
});

test('wide signs count twice', () => {
  expect([textWidth('abc'), textWidth('日本'), textWidth('🤔')]).toEqual([3, 4, 2]);
});
