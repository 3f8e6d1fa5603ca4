// The commands as they are declared, for docs/reference/commands.md.
import type { Argument, Command, Option } from 'commander';
import { EXIT } from '../src/output/exit-code.ts';
import { createProgram, pathOf } from '../src/program.ts';
import { silentContext } from '../test/silent-context.ts';

export { EXIT };

export interface Declared {
  /** Its words, such as `tasks list`; empty: the program. */
  path: string;
  description: string;
  /** As `--help` shows it. */
  usage: string;
  arguments: readonly DeclaredPart[];
  options: readonly DeclaredPart[];
}

export interface DeclaredPart {
  /** As it is written. */
  name: string;
  description: string;
  /** Of a value that is left out; undefined: there is none. */
  default: string | undefined;
  choices: readonly string[];
  mandatory: boolean;
}

/** The program itself first, then all commands that do something, in the order of `--help`. */
export async function declaredCommands(): Promise<Declared[]> {
  const program = await createProgram([], silentContext, () => {});
  return [declared(program), ...program.commands.flatMap(leavesOf).map(declared)];
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function declared(command: Command): Declared {
  const path = pathOf(command);
  return {
    path,
    description: command.description(),
    usage: ['escapement', path, command.usage()].filter(Boolean).join(' '),
    arguments: command.registeredArguments.map((argument) => partOf(argument, argument.name(), argument.required)),
    options: command.options
      .filter((option) => !option.hidden)
      .map((option) => partOf(option, option.flags, option.mandatory)),
  };
}

function partOf(part: Argument | Option, name: string, mandatory: boolean): DeclaredPart {
  const value: unknown = part.defaultValueDescription ?? part.defaultValue;
  return {
    name,
    description: part.description,
    default: value === undefined ? undefined : String(value),
    choices: part.argChoices ?? [],
    mandatory,
  };
}
