import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { silentContext } from '../../test/silent-context.ts';
import { createProgram, pathOf } from '../program.ts';
import { READS, readingOf } from './reading.ts';

function commandsBelow(command: Command): string[] {
  if (command.commands.length === 0) return [pathOf(command)];
  return command.commands.flatMap(commandsBelow);
}

test('of each command it is known what it shows', async () => {
  const program = await createProgram([], silentContext, () => {});
  expect([...READS.keys()].toSorted()).toEqual(commandsBelow(program).toSorted());
});

test('a command that nobody has thought of is for admins of all', () => {
  expect(readingOf('new', { arguments: [], options: {} })).toEqual({ right: 'access', of: null });
});

test.each([
  ['runs logs', ['id'], {}, { right: 'read-payload', of: { run: 'id' } }],
  ['tasks trigger', ['a'], { wait: true }, { right: 'read-payload', of: { task: 'a' } }],
  ['tasks trigger', ['a'], { wait: false }, null],
  ['runs list', [], { task: 'a' }, { right: 'read', of: { task: 'a' } }],
  ['runs list', [], {}, { right: 'read', of: 'some' }],
  ['recovery list', [], {}, { right: 'read', of: 'some' }],
  ['verify-ledger', [], { task: 'a' }, { right: 'read', of: { task: 'a' } }],
  ['export crontab', [], {}, { right: 'read-payload', of: null }],
  ['tasks list', [], {}, { right: 'read', of: 'some' }],
  ['runs cancel', [], { dryRun: true, task: 'a' }, { right: 'read', of: { task: 'a' } }],
  ['lists show', ['a'], {}, { right: 'read-payload', of: null }],
  ['tasks state show', ['a'], {}, { right: 'read-payload', of: { task: 'a' } }],
  ['constructor', [], {}, { right: 'access', of: null }],
])('%s %j %j', (command, args, options, reading) => {
  expect(readingOf(command, { arguments: args, options })).toEqual(reading);
});
