import { expect, test } from 'vitest';
import { readEnvLine } from './env-line.ts';

test.each([
  ['A=b', 'A', 'b'],
  ['A = b', 'A', 'b'],
  ['A=b c  ', 'A', 'b c'],
  ['A="b c "', 'A', 'b c '],
  ['A=\'b "c"\'', 'A', 'b "c"'],
  ['A="b"  ', 'A', 'b'],
  ['"A" = b', 'A', 'b'],
  ["'A B'=c", 'A B', 'c'],
  ['A=b"c"', 'A', 'b"c"'],
  ['A=b=c', 'A', 'b=c'],
  ['A=""', 'A', ''],
  ['PATH=$HOME/bin:$PATH', 'PATH', '$HOME/bin:$PATH'],
  ['A=b # no comment', 'A', 'b # no comment'],
  ['MAILTO=root HOME=/ ', 'MAILTO', 'root HOME=/'],
  ['A=\\"b\\"', 'A', '\\"b\\"'],
  ['A=', 'A', ''],
  ['=b', '', 'b'],
])('%s sets %s to %s', (line, name, value) => {
  expect(readEnvLine(line)).toEqual({ name, value });
});

test.each([
  '* * * * * A=b cmd',
  '@daily A=b cmd',
  '0 0 * * * x = y',
  'A',
  'A b=c',
  'A="b',
  'A=\'b" ',
  'A="b" c',
  'A="b"c"',
  '"A=b"',
  '',
])('%s is no setting', (line) => {
  expect(readEnvLine(line)).toBeUndefined();
});
