import { expect, test } from 'vitest';
import { isAtLeast, LogLines, nextError } from './log-lines.ts';

function linesOf(...texts: string[]) {
  const lines = new LogLines();
  for (const text of texts) lines.add(1, `${text}\n`);
  return lines.all;
}

test('a line without a level has that of the line above, within its try', () => {
  const lines = new LogLines();
  lines.add(1, 'starts\nERROR it broke\n  at work\nINFO on\nmore');
  lines.add(1, ' of it\n');
  lines.add(2, 'starts anew\n');
  expect(lines.all.map(({ heldLevel }) => heldLevel)).toEqual([null, 'error', 'error', 'info', 'info', null]);
  expect(lines.all.map(({ level }) => level)).toEqual([null, 'error', null, 'info', null, null]);
  expect(lines.all[4]?.text).toBe('more of it');
});

test('a level stands for itself and those above it', () => {
  const lines = linesOf('plain', 'DEBUG a', 'INFO b', 'WARN c', 'FATAL d', '  at work');
  const shown = lines.filter((line) => isAtLeast(line, 'warn')).map(({ text }) => text);
  expect(shown).toEqual(['WARN c', 'FATAL d', '  at work']);
});

test('one goes from error to error, and from the last to the first; lines of one error are one', () => {
  const lines = linesOf('INFO a', 'ERROR b', 'Error: b', '  at work', 'INFO c', 'ERROR d');
  expect(nextError(lines, -1)).toBe(1);
  expect(nextError(lines, 1)).toBe(5);
  expect(nextError(lines, 5)).toBe(1);
  expect(nextError(linesOf('INFO a'), -1)).toBe(-1);
});
