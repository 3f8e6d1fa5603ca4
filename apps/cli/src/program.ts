import { EscapementError, errorFacts, explainSystemError } from '@escapement/core';
import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { readingOf } from './access/reading.ts';
import { addCommands } from './commands.ts';
import type { Context } from './context.ts';
import { refuseTwice } from './once.ts';
import { EXIT, type ExitCode } from './output/exit-code.ts';
import { type Format, toJson } from './output/print.ts';

const EPILOGUE = `
Exit codes: 0 done; 1 the run failed, or doctor or verify-ledger found something; 2 wrong usage or input; 3 Postgres or Redis cannot be
reached, or migrations are missing; 4 the run was not carried out. Details: docs/reference/cli.md`;

/** Runs one command line. Resolves with the exit code; never rejects. */
export async function runCommand(args: readonly string[], context: Context): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  try {
    const program = await createProgram(args, context, (ended) => {
      code = ended;
    });
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, context);
  }
}

/** The commands that `args` may mean: all of them without any. */
export async function createProgram(
  args: readonly string[],
  context: Context,
  end: (code: ExitCode) => void,
): Promise<Command> {
  const program = new Command('escapement')
    .description('The cron replacement for fleets: every occurrence accounted for.')
    .version(manifest.version, '-V, --version')
    .addOption(
      new Option('-o, --output <format>', 'how results are written').choices(['table', 'json']).default('table'),
    )
    .option('--wide', 'tables as wide as what is in them, also where the terminal is narrower')
    .configureOutput({
      writeOut: context.output.text,
      writeErr: (text) => context.output.note(text.trimEnd()),
      // Errors are worded in one place: below.
      outputError: () => {},
      getOutHelpWidth: () => context.output.width ?? 100,
      getErrHelpWidth: () => context.output.width ?? 100,
    })
    .exitOverride()
    .addHelpText('after', EPILOGUE)
    .hook('preAction', (_, action) => {
      const { output, wide } = action.optsWithGlobals<{ output: Format; wide?: true }>();
      context.output.format = output;
      context.output.wide = wide === true;
      context.reading = readingOf(pathOf(action), { arguments: action.args, options: action.opts() });
    });
  await addCommands(program, args, context, end);
  refuseTwice(program);
  return program;
}

/** The words of a command without the program's own: `tasks state show`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  if (!parent) return '';
  return [pathOf(parent), command.name()].filter(Boolean).join(' ');
}

/** Says what went wrong: what, value, fix; a stack only for a mistake of our own. */
function explain(thrown: unknown, { output }: Context): ExitCode {
  if (thrown instanceof CommanderError) return explainUsage(thrown, output.note);
  const error = explainSystemError(thrown) ?? thrown;
  if (!(error instanceof EscapementError)) {
    output.note(
      `error: a mistake in escapement itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return EXIT.internal;
  }
  const { code, message, fix } = error;
  if (output.format === 'json') output.note(toJson({ error: { code, message, fix } }));
  else output.note(`error: ${message}${fix ? `\n  ${fix}` : ''}`);
  return errorFacts(error.code)?.exit ?? EXIT.usage;
}

function explainUsage(error: CommanderError, note: (text: string) => void): ExitCode {
  if (error.exitCode === 0) return EXIT.ok;
  // Without a subcommand the help has been written already.
  if (error.code !== 'commander.help')
    note(`${error.message}\n  see \`escapement --help\`, or --help behind any command`);
  return EXIT.usage;
}
