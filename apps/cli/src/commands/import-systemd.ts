import { readUnits } from '@escapement/formats';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { carryOutImport } from '../imports/carry-out.ts';
import { type ImportOptions, withImportOptions } from '../imports/options.ts';
import { readUnitFiles } from '../imports/read-unit-files.ts';
import { readZone } from '../options.ts';
import type { ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';

interface SystemdOptions extends ImportOptions {
  tz?: string;
}

export function addImportSystemd(group: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = group
    .command('systemd')
    .description('show which tasks systemd timers become; with --write save them. You may repeat it at any time')
    .argument('<path...>', 'timers, or folders that have them; services and drop-ins are looked for beside them')
    .option('--tz <zone>', "zone of OnCalendar= without one; default: this machine's", readZone);
  withImportOptions(command, 'timer').action(async (paths: string[], options: SystemdOptions) =>
    end(await importUnits(paths, options, context)),
  );
}

async function importUnits(paths: readonly string[], options: SystemdOptions, context: Context): Promise<ExitCode> {
  const { prefix, pool, tz } = options;
  const translation = readUnits({ ...(await readUnitFiles(paths)), timeZone: tz ?? systemZone(), prefix, pool });
  return await carryOutImport({ format: 'systemd', translation, options }, context);
}
