import { expect, test } from 'vitest';
import { logLines } from './log-lines.ts';

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

const log = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}\n`).join('');

test('the last lines are kept, however the log comes', async () => {
  for (const length of [1, 7, 100_000])
    expect(await logLines(inPieces(log, length), { lines: 2 })).toEqual({
      ...{ text: 'line 999\nline 1000', fromLine: 999, toLine: 1000, totalLines: 1000 },
      ...{ skippedLines: 998, linesAfter: 0 },
    });
});

test('lines from one on are kept, and it is told how many come behind', async () => {
  expect(await logLines(inPieces(log, 50), { lines: 2, fromLine: 10 })).toEqual({
    ...{ text: 'line 10\nline 11', fromLine: 10, toLine: 11, totalLines: 1000 },
    ...{ skippedLines: 9, linesAfter: 989 },
  });
});

test('behind the end there is nothing', async () => {
  expect(await logLines(inPieces(log, 50), { lines: 2, fromLine: 2000 })).toMatchObject({
    ...{ text: '', fromLine: 0, toLine: 0, totalLines: 1000, skippedLines: 1000, linesAfter: 0 },
  });
  expect(await logLines(inPieces('', 1), { lines: 5 })).toMatchObject({ text: '', totalLines: 0, skippedLines: 0 });
});

test('a line without an end counts, one that is too long is cut, and returns are no part of it', async () => {
  const { text, totalLines } = await logLines(inPieces(`${'x'.repeat(5000)}\r\nlast`, 1000), { lines: 5 });
  expect(totalLines).toBe(2);
  expect(text).toBe(`${'x'.repeat(2000)}… (5001 characters)\nlast`);
});

test('no more is kept than fits, from both sides', async () => {
  const long = `${'y'.repeat(999)}\n`.repeat(500);
  const last = await logLines(inPieces(long, 4096), { lines: 2000 });
  expect([last.text.length <= 20_000, last.toLine, last.skippedLines]).toEqual([true, 500, 480]);
  const first = await logLines(inPieces(long, 4096), { lines: 2000, fromLine: 1 });
  expect([first.text.length <= 20_000, first.toLine, first.linesAfter]).toEqual([true, 20, 480]);
});
