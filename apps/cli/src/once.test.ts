import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { silentContext } from '../test/silent-context.ts';
import { takesOne } from './once.ts';
import { createProgram, runCommand } from './program.ts';

test.each([
  [['recovery', 'drop', '--task', 'a', '--task', 'b'], '--task is given twice: "a" and "b"'],
  [['recovery', 'drop', '--task', 'a', '--task=a'], '--task is given twice: "a" and "a"'],
  [['tasks', 'list', '--pool', 'one', '--pool', 'two'], '--pool is given twice: "one" and "two"'],
  [['-o', 'json', 'tasks', 'list', '-o', 'table'], '--output is given twice: "json" and "table"'],
  [['next', '0 3 * * *', '--tz', 'UTC', '--tz', 'Europe/Berlin'], '--tz is given twice: "UTC" and "Europe/Berlin"'],
])('%j is refused: one of the values would be dropped', async (args, message) => {
  const notes: string[] = [];
  const output = { ...silentContext.output, note: (text: string) => notes.push(text) };
  expect(await runCommand(args, { ...silentContext, output })).toBe(2);
  expect(notes.join('\n')).toContain(message);
});

test('an option takes one value unless its reader adds to those before', async () => {
  const program = await createProgram([], silentContext, () => {});
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const options = all(program).flatMap((command) => command.options);
  const many = options.filter((option) => (option.required || option.optional) && !takesOne(option));
  expect([...new Set(many.map(({ long }) => long))].sort()).toEqual([
    '--file',
    '--label',
    '--last',
    '--order',
    '--origin',
    '--set',
    '--state',
    '--tasks',
    '--unset',
  ]);
});
