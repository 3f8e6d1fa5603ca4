import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportSystemd } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { counted } from '../output/wording.ts';

interface ExportOptions {
  to?: string;
  replace: boolean;
  source?: string;
  label?: LabelSelector;
  user?: string;
}

interface UnitFile {
  name: string;
  text: string;
}

export function addExportSystemd(group: Command, context: Context): void {
  group
    .command('systemd')
    .description('write tasks as timers and services of systemd; what differs becomes a comment')
    .option('--to <folder>', 'write a file for each unit into this folder; default: all of them to standard output')
    .option('--replace', 'with --to: write over files that say something else', false)
    .option('--source <source>', 'only tasks of one source: code, systemd:NAME, ...')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--user <name>', 'who runs tasks that name no user; default: they are left out')
    .action((options: ExportOptions) => exportTasks(options, context));
}

async function exportTasks({ to, replace, source, label, user }: ExportOptions, context: Context): Promise<void> {
  const { output } = context;
  const query = { source, label: label?.text, user };
  const { files, left } = await withFleet(context, (fleet) => fleet.call(exportSystemd, { query }));
  if (to !== undefined) await write(to, files, replace);
  if (output.format === 'json') return output.result({ files, left, folder: to ?? null }, () => []);
  if (to === undefined) output.text(files.map(({ name, text }) => `# --- ${name}\n${text}`).join('\n'));
  else output.note(`${counted(files.length, 'unit')} in ${to}`);
  for (const { name, reason } of left) output.note(`${name} is not among them: ${reason}`);
}

/** Writes no file where one of them says something else. Throws `file_exists`, `cannot_write`. */
async function write(folder: string, files: readonly UnitFile[], replace: boolean): Promise<void> {
  const others: string[] = [];
  for (const { name, text } of files) {
    const there = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (there !== undefined && there !== text) others.push(name);
  }
  if (others.length > 0 && !replace)
    throw new EscapementError(
      'file_exists',
      `${folder} has other units of these names: ${others.slice(0, 5).join(', ')}`,
      {
        fix: 'give another folder, or --replace; nothing was written',
      },
    );
  try {
    await mkdir(folder, { recursive: true });
    for (const { name, text } of files) await writeFile(join(folder, name), text);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new EscapementError('cannot_write', `units cannot be written into ${folder}: ${why}`, {
      fix: 'give a folder that you may write into, and repeat it',
      cause: error,
    });
  }
}
