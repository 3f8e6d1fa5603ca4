import { expect, test } from 'vitest';
import { prettyLine } from './log-pretty.ts';

const at = new Date(2026, 0, 2, 3, 4, 5, 6).toISOString();
const line = (record: object) =>
  `${JSON.stringify({ level: 'info', time: at, service: 'worker', instance: 'a:1', ...record })}\n`;

test('time of day, level, who, message and fields on one line', () => {
  const text = prettyLine(
    line({ who: 'run', task: 'nightly report', tookMs: 12, msg: 'succeeded', none: null }),
    false,
  );
  expect(text).toBe('03:04:05.006 info  run        succeeded task="nightly report" tookMs=12\n');
});

test('without a part of the program, the service is who speaks', () => {
  expect(prettyLine(line({ msg: 'ready' }), false)).toBe('03:04:05.006 info  worker     ready\n');
});

test('an error has its stack below, a warning only its message', () => {
  const err = { type: 'Error', message: 'no route', stack: 'Error: no route\n    at x.ts:1' };
  expect(prettyLine(line({ level: 'error', msg: 'failed', err }), false)).toBe(
    '03:04:05.006 error worker     failed err="no route"\n    Error: no route\n    at x.ts:1\n',
  );
  expect(prettyLine(line({ level: 'warn', msg: 'failed', err }), false)).toBe(
    '03:04:05.006 warn  worker     failed err="no route"\n',
  );
});

test('newlines and terminal commands from outside cannot forge a line', () => {
  const text = prettyLine(line({ who: 'a\nb', msg: 'x\n03:04 error \x1b[31m', task: 'y\nz' }), false);
  expect(text).toBe('03:04:05.006 info  a\\nb       x\\n03:04 error \\x1b[31m task="y\\nz"\n');
});

test('colours only where asked for', () => {
  const ansi = String.fromCharCode(27);
  expect(prettyLine(line({ msg: 'a' }), true)).toContain(ansi);
  expect(prettyLine(line({ msg: 'a', level: 'error', x: 1 }), false)).not.toContain(ansi);
});

test('what is no JSON object is passed on as it is', () => {
  expect(prettyLine('plain text\n', false)).toBe('plain text\n');
  expect(prettyLine('5\n', false)).toBe('5\n');
});
