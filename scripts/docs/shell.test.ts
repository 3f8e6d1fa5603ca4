import { expect, test } from 'vitest';
import { commandsOf, escapementArguments } from './shell.ts';

test.each([
  ['npx escapement tasks list   # all', [['npx', 'escapement', 'tasks', 'list']]],
  ["a 'b c' \"d | e\" f'g h'", [['a', 'b c', 'd | e', 'fg h']]],
  ['a | b && c; d', [['a'], ['b'], ['c'], ['d']]],
  ['A=1 B=$PWD/x a b', [['a', 'b']]],
  ['a < in > out 2>&1 b', [['a', 'b']]],
  ['X=1', []],
  ['# only a comment', []],
])('%s', (line, commands) => {
  expect(commandsOf(line)).toEqual(commands);
});

test.each([
  ["escapement next '* * * * *'", [['next', '* * * * *']]],
  ['crontab -l | escapement shadow patch - --source web1 | crontab -', [['shadow', 'patch', '-', '--source', 'web1']]],
  ['docker compose run --rm cli tasks list', [['tasks', 'list']]],
  ['T=esc_1... escapement tasks trigger nightly', [['tasks', 'trigger', 'nightly']]],
  ['npx escapement-scheduler', []],
])('what escapement is given by %s', (line, given) => {
  expect(escapementArguments(line)).toEqual(given);
});
