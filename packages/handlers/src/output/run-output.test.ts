import { describe, expect, test } from 'vitest';
import { headBytes, RunOutput, type RunOutputOptions } from './run-output.ts';

function outputInto(lines: string[], options: Partial<RunOutputOptions> = {}): RunOutput {
  return new RunOutput({ log: { write: (text) => lines.push(text) }, maxBytes: 1024, ...options });
}

function through(pieces: (string | Buffer)[], options: Partial<RunOutputOptions> = {}): string {
  const lines: string[] = [];
  const output = outputInto(lines, options);
  for (const piece of pieces) output.write(Buffer.from(piece));
  output.end();
  return lines.join('');
}

describe('RunOutput', () => {
  test('joins a character that is split between pieces', () => {
    const bytes = Buffer.from('a\u{1f570}ä');
    expect(through([...bytes].map((byte) => Buffer.from([byte])))).toBe('a\u{1f570}ä');
  });

  test('replaces invalid bytes and NUL', () => {
    expect(through([Buffer.from([0x61, 0xff, 0x00, 0x62, 0xc3])])).toBe('a\ufffd\ufffdb\ufffd');
  });

  test('passes on at once what is complete', () => {
    const lines: string[] = [];
    outputInto(lines).write(Buffer.from('one\n'));
    expect(lines).toEqual(['one\n']);
  });

  test('masks a secret that is split between pieces', () => {
    expect(through(['pass hun', 'ter2\n'], { secrets: ['hunter2'] })).toBe('pass ***\n');
  });

  test('keeps the start up to the cap, and the end, and says how much is missing between them', () => {
    const text = through(['a'.repeat(1024), 'b'.repeat(50_000), 'the last word\n']);
    expect(
      text.startsWith(`${'a'.repeat(1024)}\n[escapement: 33630 characters left out here; the cap is 1024 bytes]\nb`),
    ).toBe(true);
    expect(text.endsWith('bthe last word\n')).toBe(true);
    expect(text.length).toBeLessThan(20_000);
  });

  test('says nothing of a gap where start and end meet', () => {
    expect(through(['a'.repeat(1030)])).toBe('a'.repeat(1030));
  });

  test('keeps the order where the cap lies inside a character', () => {
    const lines: string[] = [];
    const output = outputInto(lines, { maxBytes: 3 });
    for (const piece of ['aaä', 'b']) output.write(Buffer.from(piece));
    output.end();
    expect(lines).toEqual(['aa', 'äb']);
  });

  test('puts a note on a line of its own', () => {
    const lines: string[] = [];
    const output = outputInto(lines);
    output.note('first');
    output.write(Buffer.from('no newline'));
    output.note('second');
    expect(lines.join('')).toBe('[escapement: first]\nno newline\n[escapement: second]\n');
  });

  test('masks a note, also where it was cut off in a secret', () => {
    const lines: string[] = [];
    const output = outputInto(lines, { secrets: ['hunter22-and-more'] });
    output.note('the program said hunter22-an… on 3');
    expect(lines.join('')).toBe('[escapement: the program said ***… on 3]\n');
  });

  test('takes nothing after its end', () => {
    const lines: string[] = [];
    const output = outputInto(lines);
    output.end();
    output.write(Buffer.from('late'));
    expect(lines).toEqual([]);
  });

  test('lastLines begins with a whole line', () => {
    const output = outputInto([]);
    output.write(Buffer.from('first line\nsecond line\nthird\n'));
    expect(output.lastLines(15)).toBe('third');
    expect(output.lastLines(1000)).toBe('first line\nsecond line\nthird');
  });
});

test.each([
  ['äb', 1, ''],
  ['äb', 2, 'ä'],
  ['äb', 3, 'äb'],
  ['\u{1f570}', 3, ''],
  ['abc', 2, 'ab'],
])('headBytes(%j, %i) cuts between characters', (text, bytes, expected) => {
  expect(headBytes(text, bytes)).toBe(expected);
});
