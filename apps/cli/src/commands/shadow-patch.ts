import { normalize } from 'node:path';
import { counted, EscapementError } from '@escapement/core';
import { type PatchedLine, patchCrontab, unpatchCrontab } from '@escapement/formats';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { readUser } from '../options.ts';
import { readCrontabFile, replaceCrontabFile } from './crontab-file.ts';
import { refuseLinesOfFleet } from './lines-of-fleet.ts';
import { checkReach, type Program, programOf } from './own-program.ts';

/** How a shell starts the command line on this host. */
export const PROGRAM_OPTION = [
  '--program <command>',
  'how a shell starts the command line here; default: as it was started now',
] as const;

interface PatchOptions {
  source?: string;
  system: boolean;
  user?: string;
  program?: string;
}

/** `shadow patch` and `unpatch`: of one crontab. */
export function addPatch(shadow: Command, context: Context): void {
  withFile(shadow.command('patch').description('have the lines of a crontab on this host reported; may be repeated'))
    .option(...PROGRAM_OPTION)
    .action((file: string, options: PatchOptions) => patch(file, options, context));
  withFile(
    shadow.command('unpatch').description('make a crontab what it was before it was patched, to the byte'),
  ).action((file: string, options: PatchOptions) => unpatch(file, options, context));
}

function withFile(command: Command): Command {
  return command
    .argument('<file>', 'path of the crontab; -: standard input, and the result goes to standard output')
    .option('--source <name>', 'name under which it is imported; default: the path as given')
    .option('--system', 'the file has a user column, as /etc/crontab and /etc/cron.d have', false)
    .addOption(
      new Option('--user <name>', 'whose crontab it is, if it is imported with that')
        .argParser(readUser)
        .conflicts('system'),
    );
}

/** How a crontab is imported: part of the ids of its lines. */
export interface ImportedAs {
  source: string;
  system: boolean;
  user?: string | undefined;
}

function namesOf(file: string, { source, system, user }: PatchOptions): ImportedAs {
  return { source: source ?? (file === '-' ? 'stdin' : normalize(file)), system, user };
}

async function patch(file: string, options: PatchOptions, context: Context): Promise<void> {
  const names = namesOf(file, options);
  const program = programOf(options.program);
  const { output } = context;
  if (file === '-') {
    const { text } = patchCrontab(await stdinOf(context), { ...names, program: program.command });
    // Who is not root can only have a crontab of its own, and reaches what it runs.
    const warning = await checkReach(text, program, names);
    if (process.getuid?.() === 0) warn(output, warning);
    output.text(text.toString());
    warn(output, program.warning);
    return;
  }
  const { warning, ...done } = await patchFile(file, names, program);
  const shown = { source: names.source, ...done };
  const { lines } = shown;
  output.result(shown, () => [
    ...lines.map(
      ({ line, id, action }) =>
        `line ${line}: ${id === null ? 'left as it is: the import refuses it' : `${action} as ${id}`}`,
    ),
    shown.changed ? `${shown.file} is patched` : `${shown.file} was patched already`,
  ]);
  warn(output, warning);
  warn(output, program.warning);
  const format = `${names.system ? ' --system' : ''}${names.user === undefined ? '' : ` --user ${names.user}`}`;
  output.note(`its tasks: \`escapement import crontab ${file} --source ${names.source}${format} --shadow --write\``);
}

function warn(output: Context['output'], warning: string | undefined): void {
  if (warning !== undefined) output.note(warning);
}

/**
 * Patches a crontab where it is. Returns, among others, what to tell of who can reach the program. Throws `cannot_read`, `command_too_long`,
 * `bad_program`, `file_changed`, `cannot_write`.
 */
export async function patchFile(
  file: string,
  names: ImportedAs,
  program: Program,
): Promise<{ file: string; changed: boolean; lines: PatchedLine[]; warning: string | undefined }> {
  const read = await readCrontabFile(file);
  const { text, lines } = patchCrontab(read.bytes, { ...names, program: program.command });
  const warning = await checkReach(text, program, names);
  const changed = !text.equals(read.bytes);
  if (changed) await replaceCrontabFile(read, text);
  return { file: read.file, changed, lines, warning };
}

async function unpatch(file: string, options: PatchOptions, context: Context): Promise<void> {
  const names = namesOf(file, options);
  const { output } = context;
  if (file === '-') {
    const given = await stdinOf(context);
    refuseLinesOfFleet(given, names, context.env);
    output.text(unpatchCrontab(given, names).text.toString());
    return;
  }
  const shown = await unpatchFile(file, names, context);
  output.result(shown, () => [
    shown.lines.length > 0
      ? `${shown.file} is as it was before: ${counted(shown.lines.length, 'line')}`
      : `${shown.file} was not patched`,
  ]);
}

/** Makes a crontab what it was. Throws `cannot_read`, `line_of_fleet`, `line_changed`, `file_changed`, `cannot_write`. */
export async function unpatchFile(
  file: string,
  names: ImportedAs,
  { env }: Context,
): Promise<{ file: string; lines: number[] }> {
  const read = await readCrontabFile(file);
  refuseLinesOfFleet(read.bytes, names, env);
  const { text, lines } = unpatchCrontab(read.bytes, names);
  if (lines.length > 0) await replaceCrontabFile(read, text);
  return { file: read.file, lines };
}

async function stdinOf({ stdin }: Context): Promise<Buffer> {
  const text = await stdin();
  if (text.includes('\uFFFD'))
    throw new EscapementError('cannot_read', 'standard input is not UTF-8', {
      fix: 'write it to a file, and patch that',
    });
  return Buffer.from(text);
}
