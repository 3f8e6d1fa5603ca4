import { normalize } from 'node:path';
import { importCrontab, previewCrontab } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { ImportReport } from '@escapement/formats';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { type CrontabBody, crontabBody, describeBody, IMPORT_TIMEOUT_MS } from '../imports/crontab-body.ts';
import { readLines } from '../line-numbers.ts';
import { readPool, readText, readUser, readZone } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { showImport } from './import-report.ts';

interface ImportOptions {
  system: boolean;
  user?: string;
  write: boolean;
  prune: boolean;
  shadow: boolean;
  strict: boolean;
  pool?: string;
  tz?: string;
  source?: string;
  lines?: number[];
}

export function addImportCrontab(group: Command, context: Context, end: (code: ExitCode) => void): void {
  group
    .command('crontab')
    .description('show which tasks a crontab becomes; with --write save them. You may repeat it at any time')
    .argument('<file>', 'path of the crontab, or - for standard input')
    .option('--write', 'create and update the tasks; without it nothing is changed', false)
    .option('--system', 'the file has a user column, as /etc/crontab and /etc/cron.d have', false)
    .addOption(
      new Option('--user <name>', 'whose crontab it is: its lines run as this user')
        .argParser(readUser)
        .conflicts('system'),
    )
    .option('--shadow', 'cron goes on running the lines: their tasks plan and do not run', false)
    .option('--prune', 'with --write: also delete tasks of this source whose line is gone', false)
    .option('--lines <list>', 'with --write: only these lines, as in 3,7-9; default: all', readLines)
    .option('--strict', 'write nothing if any line is bad', false)
    .option('--pool <name>', "pool of workers for these tasks, for lines that need one host's files", readPool)
    .option('--tz <zone>', "zone of lines without CRON_TZ or TZ above them; default: this machine's", readZone)
    .option(
      '--source <name>',
      'name under which the lines are found again at the next import; default: the path as given',
    )
    .action(async (file: string, options: ImportOptions) => end(await importFile(file, options, context)));
}

async function importFile(file: string, options: ImportOptions, context: Context): Promise<ExitCode> {
  const { system, user } = options;
  const text = await readText(file, context.stdin);
  const name = options.source ?? (file === '-' ? 'stdin' : normalize(file));
  const body = crontabBody({ text, name, system, user }, options);
  const alone = describeBody(body, context.clock.now());
  if (options.strict && alone.counts.refused > 0) {
    showImport(alone, { refusedAll: true }, context);
    return EXIT.usage;
  }
  const { prune, lines } = options;
  const report = options.write
    ? await withFleet(context, (fleet) =>
        fleet.call(importCrontab, { body: { ...body, prune, lines } }, { timeoutMs: IMPORT_TIMEOUT_MS }),
      )
    : await compare(body, alone, context);
  showImport(report, { refusedAll: false }, context);
  return report.counts.failed > 0 ? EXIT.usage : EXIT.ok;
}

/** What would be done. Where nobody can be asked, everything would be new. */
async function compare(body: CrontabBody, alone: ImportReport, context: Context): Promise<ImportReport> {
  try {
    return await withFleet(context, (fleet) => fleet.call(previewCrontab, { body }));
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    context.output.note(`not compared with the tasks that are there: ${error.message}`);
    return alone;
  }
}
