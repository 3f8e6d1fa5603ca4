import { realpathSync } from 'node:fs';
import { normalize } from 'node:path';
import { getShadow } from '@escapement/api/routes';
import { counted, EscapementError, readInstant } from '@escapement/core';
import { patchCrontab, shellQuoted, unpatchCrontab } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';
import { readCrontabFile, replaceCrontabFile } from './crontab-file.ts';
import { refuseLinesOfFleet } from './lines-of-fleet.ts';
import { addCutovers } from './shadow-cutover.ts';
import { showShadow } from './shadow-report.ts';

interface PatchOptions {
  source?: string;
  system: boolean;
  program?: string;
}

/** `shadow`: crontabs that cron still runs while their tasks plan and do not run. */
export function addShadow(program: Command, context: Context, end: (code: ExitCode) => void): void {
  const shadow = program
    .command('shadow')
    .description(
      'crontabs that cron still runs: have their lines reported, and compare what cron did with what was planned',
    );
  withFile(shadow.command('patch').description('have the lines of a crontab on this host reported; may be repeated'))
    .option('--program <command>', 'how a shell starts the command line here; default: as it was started now')
    .action((file: string, options: PatchOptions) => patch(file, options, context));
  withFile(
    shadow.command('unpatch').description('make a crontab what it was before it was patched, to the byte'),
  ).action((file: string, options: PatchOptions) => unpatch(file, options, context));
  shadow
    .command('status')
    .description(
      'what cron did with each line, beside what was planned for it; exit code 1 where a difference is not explained',
    )
    .option('--source <name>', 'only the crontab that was imported under this name')
    .option('--since <instant>', 'ISO 8601, or a span such as 24h', '7d')
    .action(async ({ source, since: text }: { source?: string; since: string }) => {
      const now = context.clock.now();
      const since = readInstant(text, { what: '--since', now, spans: 'ago', timeZone: systemZone() });
      const query = { source, since: since.toISOString() };
      const { items } = await withFleet(context, (fleet) => fleet.call(getShadow, { query }));
      showShadow(items, context.output);
      end(items.some(({ state }) => state === 'differs') ? EXIT.failed : EXIT.ok);
    });
  addCutovers(shadow, context);
}

function withFile(command: Command): Command {
  return command
    .argument('<file>', 'path of the crontab; -: standard input, and the result goes to standard output')
    .option('--source <name>', 'name under which it is imported; default: the path as given')
    .option('--system', 'the file has a user column, as /etc/crontab and /etc/cron.d have', false);
}

function namesOf(file: string, { source, system }: PatchOptions): { source: string; system: boolean } {
  return { source: source ?? (file === '-' ? 'stdin' : normalize(file)), system };
}

async function patch(file: string, options: PatchOptions, context: Context): Promise<void> {
  const names = { ...namesOf(file, options), program: options.program ?? ownProgram() };
  const { output } = context;
  if (file === '-') {
    output.text(patchCrontab(await stdinOf(context), names).text.toString());
    return;
  }
  const read = await readCrontabFile(file);
  const { text, lines } = patchCrontab(read.bytes, names);
  if (!text.equals(read.bytes)) await replaceCrontabFile(read, text);
  const shown = { file: read.file, source: names.source, changed: !text.equals(read.bytes), lines };
  output.result(shown, () => [
    ...lines.map(
      ({ line, id, action }) =>
        `line ${line}: ${id === null ? 'left as it is: the import refuses it' : `${action} as ${id}`}`,
    ),
    shown.changed ? `${read.file} is patched` : `${read.file} was patched already`,
  ]);
  output.note(
    `its tasks: \`escapement import crontab ${file} --source ${names.source}${names.system ? ' --system' : ''} --shadow --write\``,
  );
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
  const read = await readCrontabFile(file);
  refuseLinesOfFleet(read.bytes, names, context.env);
  const { text, lines } = unpatchCrontab(read.bytes, names);
  if (lines.length > 0) await replaceCrontabFile(read, text);
  output.result({ file: read.file, lines }, () => [
    lines.length > 0
      ? `${read.file} is as it was before: ${counted(lines.length, 'line')}`
      : `${read.file} was not patched`,
  ]);
}

async function stdinOf({ stdin }: Context): Promise<Buffer> {
  const text = await stdin();
  if (text.includes('\uFFFD'))
    throw new EscapementError('cannot_read', 'standard input is not UTF-8', {
      fix: 'write it to a file, and patch that',
    });
  return Buffer.from(text);
}

/** cron's PATH has neither node nor us. */
function ownProgram(): string {
  const [node = '', program = ''] = process.argv;
  return [node, realpathSync(program)].map(shellQuoted).join(' ');
}
