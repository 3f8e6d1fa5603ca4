import { expect, test } from 'vitest';
import { joinPercent, splitPercent } from './percent.ts';

test.each([
  ['date', { command: 'date' }],
  ['date +\\%F', { command: 'date +%F' }],
  ['cat%hello', { command: 'cat', stdin: 'hello\n' }],
  [
    'mail -s "It\'s 10pm" joe%Joe,%%Where are your kids?%',
    { command: 'mail -s "It\'s 10pm" joe', stdin: 'Joe,\n\nWhere are your kids?\n' },
  ],
  ['cat%50\\% off', { command: 'cat', stdin: '50% off\n' }],
  ['true%', { command: 'true' }],
  ['printf "a\\tb\\n"', { command: 'printf "a\\tb\\n"' }],
  ['echo \\\\%in', { command: 'echo \\\\', stdin: 'in\n' }],
  ['cat%a\\b', { command: 'cat', stdin: 'a\\b\n' }],
  ['cat%%', { command: 'cat', stdin: '\n' }],
])('%s', (text, line) => {
  expect(splitPercent(text)).toEqual(line);
});

test.each(['date +\\%F', 'cat%hello', 'mail joe%Joe,%%Where?', 'cat%50\\% off'])(
  '%s is written back as it was',
  (text) => {
    expect(joinPercent(splitPercent(text))).toBe(text);
  },
);
