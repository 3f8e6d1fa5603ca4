import { readAnacrontab } from '@escapement/formats';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { carryOutImport } from '../imports/carry-out.ts';
import { type ImportOptions, withImportOptions } from '../imports/options.ts';
import { readUser, readUtf8, readZone } from '../options.ts';
import type { ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';

interface AnacronOptions extends ImportOptions {
  tz?: string;
  user: string;
}

export function addImportAnacron(group: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = group
    .command('anacron')
    .description(
      'show which tasks the jobs of an anacrontab become; with --write save them. You may repeat it at any time',
    )
    .argument('[file]', 'path of the anacrontab, or - for standard input', '/etc/anacrontab')
    .option('--user <name>', 'who runs the jobs: whoever starts anacron', readUser, 'root')
    .option('--tz <zone>', "zone of the schedules; default: this machine's", readZone);
  withImportOptions(command, 'job').action(async (file: string, options: AnacronOptions) =>
    end(await importAnacrontab(file, options, context)),
  );
}

async function importAnacrontab(file: string, options: AnacronOptions, context: Context): Promise<ExitCode> {
  const { prefix, pool, tz, user } = options;
  const text = await readUtf8(file, context.stdin);
  const translation = readAnacrontab({ text, path: file, timeZone: tz ?? systemZone(), user, prefix, pool });
  return await carryOutImport({ format: 'anacron', translation, options }, context);
}
