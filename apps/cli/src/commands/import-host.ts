import { importCrontab, previewCrontab } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { ImportReport } from '@escapement/formats';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { crontabsOfHost, type HostCrontab, type HostCrontabs } from '../host/crontabs-of-host.ts';
import { type HostOptions, hostOf, poolOfHost, withHostOptions } from '../host/options.ts';
import { type CrontabBody, crontabBody, describeBody, IMPORT_TIMEOUT_MS } from '../imports/crontab-body.ts';
import { readPool, readText, readZone } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { counted } from '../output/wording.ts';
import { allTasks } from './all-tasks.ts';
import { type HostImport, showHostImport } from './import-host-report.ts';

interface ImportHostOptions extends HostOptions {
  write: boolean;
  prune: boolean;
  shadow: boolean;
  strict: boolean;
  pool?: string;
  tz?: string;
}

export function addImportHost(group: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = group
    .command('host')
    .description(
      'show which tasks all crontabs of this host become: /etc/crontab, /etc/cron.d, those of users; with --write save them. You may repeat it at any time',
    )
    .option('--write', 'create and update the tasks; without it nothing is changed', false)
    .option('--shadow', 'cron goes on running the lines: their tasks plan and do not run', false)
    .option('--prune', 'with --write: also delete tasks of this host whose line or crontab is gone', false)
    .option('--strict', 'write nothing if any line is bad, or anything cannot be read', false)
    .option(
      '--pool <name>',
      "pool of workers for these tasks; default: the one they have, of new ones the host's own, called as the host",
      readPool,
    )
    .option('--tz <zone>', "zone of lines without CRON_TZ or TZ above them; default: this machine's", readZone);
  withHostOptions(command).action(async (options: ImportHostOptions) => end(await importHost(options, context)));
}

async function importHost(options: ImportHostOptions, context: Context): Promise<ExitCode> {
  const { root, source } = hostOf(options);
  const found = await crontabsOfHost({ root, source });
  const given = await givenOf(found, source, options);
  const { prune, shadow, strict, write } = options;
  const about = {
    host: source,
    pool: options.pool ?? poolOfHost(source),
    ...{ shadow, root },
    left: found.left,
    anacrontab: found.anacrontab,
  };
  refusePrune(options, found);
  const alone = given.map((each) => describeBody(each, context.clock.now()));
  if (strict && isSpoilt(alone, found)) {
    showHostImport({ ...about, reports: alone, gone: [], refusedAll: true }, context);
    return EXIT.usage;
  }
  const carried = write
    ? await withFleet(context, (fleet) => save(fleet, given, { source, prune, left: found.left }))
    : await compare({ given, alone, source, left: found.left }, context);
  showHostImport({ ...about, ...carried, refusedAll: false }, context);
  return carried.reports.some(({ counts }) => counts.failed > 0) ? EXIT.usage : EXIT.ok;
}

type Carried = Pick<HostImport, 'reports' | 'gone'>;

/** What could not be read would count as gone. Throws `prune_refused`. */
function refusePrune({ prune }: ImportHostOptions, { left }: HostCrontabs): void {
  const [first] = left.filter(({ unread }) => unread);
  if (prune && first)
    throw new EscapementError(
      'prune_refused',
      `--prune deletes what is not there any more, and ${first.path} could not be read: ${first.why}`,
      { fix: 'give the command as root, or leave out --prune' },
    );
}

/** What is sent for each crontab. One that cannot be read is left. */
async function givenOf(
  { crontabs, left }: HostCrontabs,
  source: string,
  options: ImportHostOptions,
): Promise<CrontabBody[]> {
  const given = crontabs.map(async (crontab) => {
    const text = await textOf(crontab, left);
    if (text === undefined) return [];
    const { source: name, system, user } = crontab;
    return [crontabBody({ text, name, system, user }, { ...options, newPool: poolOfHost(source) })];
  });
  return (await Promise.all(given)).flat();
}

async function textOf({ file, path }: HostCrontab, left: HostCrontabs['left']): Promise<string | undefined> {
  try {
    return await readText(file, async () => '');
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    left.push({ path, why: error.message, unread: true });
    return undefined;
  }
}

function isSpoilt(reports: readonly ImportReport[], { left }: HostCrontabs): boolean {
  return left.some(({ unread }) => unread) || reports.some(({ counts }) => counts.refused > 0);
}

async function save(
  fleet: Calls,
  given: readonly CrontabBody[],
  { source, prune, left }: { prune: boolean } & OfHost,
): Promise<Carried> {
  const reports: ImportReport[] = [];
  const gone = await goneOf(fleet, given, { source, left });
  const send = async (body: CrontabBody) =>
    await fleet.call(importCrontab, { body: { ...body, prune } }, { timeoutMs: IMPORT_TIMEOUT_MS });
  try {
    for (const body of given) reports.push(await send(body));
    if (prune && given[0])
      for (const { crontab } of gone)
        await send({ ...given[0], text: '', name: `${source}:${crontab}`, system: true, user: undefined });
  } catch (error) {
    if (!(error instanceof EscapementError) || reports.length === 0) throw error;
    throw new EscapementError(
      error.code,
      `${error.message}; ${reports.length} of ${counted(given.length, 'crontab')} are written`,
      { fix: `${error.fix ? `${error.fix}; then ` : ''}give the command again: what is written stays as it is` },
    );
  }
  return { reports, gone: gone.map((each) => ({ ...each, deleted: prune })) };
}

/** What would be done. Where nobody can be asked, everything would be new. */
async function compare(
  { given, alone, ...of }: { given: readonly CrontabBody[]; alone: ImportReport[] } & OfHost,
  context: Context,
): Promise<Carried> {
  try {
    return await withFleet(context, async (fleet) => {
      const reports: ImportReport[] = [];
      for (const body of given) reports.push(await fleet.call(previewCrontab, { body }));
      return { reports, gone: await goneOf(fleet, given, of) };
    });
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    context.output.note(`not compared with the tasks that are there: ${error.message}`);
    return { reports: alone, gone: [] };
  }
}

interface OfHost {
  source: string;
  left: HostCrontabs['left'];
}

/** Crontabs of the host that have tasks, and are not there any more. Of what could not be read nobody knows. */
async function goneOf(
  fleet: Calls,
  given: readonly CrontabBody[],
  { source, left }: OfHost,
): Promise<HostImport['gone']> {
  const prefix = `crontab:${source}:`;
  const there = new Set(given.map(({ name }) => `crontab:${name}`));
  const unread = left.filter((each) => each.unread).map(({ path }) => `${prefix}${path}`);
  const isUnread = (of: string) => unread.some((each) => of === each || of.startsWith(`${each}/`));
  const counts = new Map<string, number>();
  for (const { source: of } of await allTasks(fleet, { recent: 0 }))
    if (of.startsWith(prefix) && !there.has(of) && !isUnread(of)) counts.set(of, (counts.get(of) ?? 0) + 1);
  return [...counts].map(([of, tasks]) => ({ crontab: of.slice(prefix.length), tasks, deleted: false }));
}
