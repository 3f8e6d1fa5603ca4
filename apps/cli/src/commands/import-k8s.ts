import { readManifests } from '@escapement/formats';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { carryOutImport } from '../imports/carry-out.ts';
import { type ImportOptions, withImportOptions } from '../imports/options.ts';
import { readZone } from '../options.ts';
import type { ExitCode } from '../output/exit-code.ts';

interface K8sOptions extends ImportOptions {
  tz: string;
}

export function addImportK8s(group: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = group
    .command('k8s')
    .description(
      'show which tasks the CronJobs of Kubernetes manifests become; with --write save them. You may repeat it at any time',
    )
    .argument('<path...>', 'YAML or JSON files, folders that have them, or - for standard input')
    .option('--tz <zone>', 'zone of CronJobs without timeZone', readZone, 'UTC');
  withImportOptions(command, 'CronJob').action(async (paths: string[], options: K8sOptions) =>
    end(await importManifests(paths, options, context)),
  );
}

async function importManifests(paths: readonly string[], options: K8sOptions, context: Context): Promise<ExitCode> {
  // Loads the reader of YAML, which other commands can do without.
  const { readTaskFiles } = await import('../apply/read-files.ts');
  const { tasks, problems } = await readTaskFiles(paths, context.stdin);
  const placeOf = ({ file, line }: { file: string; line: number }) => `${file === '-' ? 'stdin' : file}:${line}`;
  const { prefix, pool, tz: timeZone } = options;
  const manifests = tasks.map((each) => ({ value: each.value, place: placeOf(each) }));
  const translation = readManifests(manifests, { timeZone, prefix, pool });
  translation.refused.push(...problems.map((each) => ({ place: placeOf(each), reason: each.message })));
  return await carryOutImport({ format: 'k8s', translation, options }, context);
}
