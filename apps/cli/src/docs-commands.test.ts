import { EscapementError } from '@escapement/core';
import { type Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { allBlocks, type Block, placeOf, typedLines } from '../../../scripts/docs/blocks.ts';
import { escapementArguments } from '../../../scripts/docs/shell.ts';
import { silentContext } from '../test/silent-context.ts';
import { createProgram } from './program.ts';

/** What stands in a list of commands for a value that the reader has. */
const VALUES: Readonly<Record<string, string>> = { ID: '17', INSTANT: '2h', N: '5', PROGRAM: 'worker' };

const blocks = allBlocks();

/** Commands that are typed. */
const typed = blocks.flatMap((block) =>
  typedLines(block)
    .flatMap(escapementArguments)
    .map((args) => ({ place: placeOf(block), args, text: block.text })),
);

test.each(typed)('$place: escapement $args is a command line that the program takes', async ({ args, text }) => {
  // What the program says of a value is what is shown below the command.
  expect(text).toContain(await complaintAbout(args));
});

/** What is made of the program itself. */
const MADE = 'docs/reference/commands.md';

/** Those of lists of commands: some name the command alone. */
const listed = blocks
  .filter(({ file }) => file !== MADE)
  .flatMap((block) => synopses(block).map((args) => ({ place: placeOf(block), args })));

/** An argument, an option or, of a group, one of its commands is missing. */
const INCOMPLETE = ['commander.missingArgument', 'commander.missingMandatoryOptionValue', 'commander.help'];

test.each(listed)(
  '$place: escapement $args is a command line that the program takes, once it is complete',
  async ({ args }) => {
    const code = await parse(args).then(
      () => 'complete',
      (error: unknown) => (error instanceof CommanderError ? error.code : String(error)),
    );
    expect(['complete', ...INCOMPLETE]).toContain(code);
  },
);

test('an option or argument that the program does not know is refused', async () => {
  await expect(parse(['tasks', 'list', '--wrong'])).rejects.toThrow("unknown option '--wrong'");
  await expect(parse(['runs', 'show', 'one', 'two'])).rejects.toThrow('too many arguments');
  await expect(parse(['tasks', 'rename', 'one'])).rejects.toThrow('missing required argument');
  await expect(parse(['tasks', 'wrong'])).rejects.toThrow("unknown command 'wrong'");
});

test('the documents have command lines, and lists of them', () => {
  expect(typed.length).toBeGreaterThan(120);
  expect(listed.length).toBeGreaterThan(80);
});

/** What the program says of a value, such as a time zone that there is not. Empty: it takes it. */
async function complaintAbout(args: readonly string[]): Promise<string> {
  try {
    await parse(args);
    return '';
  } catch (error) {
    if (error instanceof EscapementError) return `error: ${error.message}`;
    throw error;
  }
}

/** Reads a command line as the program does, and does nothing of what it says. */
async function parse(args: readonly string[]): Promise<void> {
  const program = await createProgram(args, silentContext, () => {});
  program.hook('preAction', () => {});
  for (const command of allOf(program)) command.action(() => {});
  await program.parseAsync([...args], { from: 'user' });
}

function allOf(command: Command): Command[] {
  // A group has no action: without one of its commands it is refused.
  return command.commands.flatMap((sub) => (sub.commands.length > 0 ? allOf(sub) : [sub]));
}

/** The command lines of a list of commands: `a|b` is one or the other, what is in brackets may be left out, words come after two spaces. */
function synopses({ language, text }: Block): string[][] {
  if (language !== 'text') return [];
  const lines = text.split('\n').filter((line) => line.startsWith('escapement '));
  return lines.flatMap((line) => {
    const [command = ''] = line.slice('escapement '.length).split(/ {2,}/);
    return command.split(', ').flatMap((one) => alternatives(one.replaceAll(/[[\]]/g, '').split(' ')));
  });
}

function alternatives(words: readonly string[]): string[][] {
  return words.reduce<string[][]>(
    (lines, word) => word.split('|').flatMap((one) => lines.map((line) => [...line, VALUES[one] ?? one])),
    [[]],
  );
}
