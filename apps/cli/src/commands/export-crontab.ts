import { exportCrontab } from '@escapement/api/routes';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { counted } from '../output/wording.ts';

interface ExportOptions {
  source?: string;
  label?: LabelSelector;
  system: boolean;
  user?: string;
}

export function addExportCrontab(group: Command, context: Context): void {
  group
    .command('crontab')
    .description('write tasks as a crontab; what cron cannot express becomes a comment')
    .option('--source <source>', 'only tasks of one source: code, crontab:NAME, ...')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--system', 'with a user column, as in /etc/cron.d', false)
    .option('--user <name>', 'with --system: who runs tasks that name no user; default: they are left out')
    .action((options: ExportOptions) => exportTasks(options, context));
}

async function exportTasks({ source, label, system, user }: ExportOptions, context: Context): Promise<void> {
  const { output } = context;
  const query = { source, label: label?.text, system: system ? ('true' as const) : ('false' as const), user };
  const { text, left } = await withFleet(context, (fleet) => fleet.call(exportCrontab, { query }));
  if (output.format === 'json') return output.result({ text, left }, () => []);
  output.text(text);
  if (left.length > 0)
    output.note(`${counted(left.length, 'task')} cannot be written as a crontab: see the comments at its end`);
}
