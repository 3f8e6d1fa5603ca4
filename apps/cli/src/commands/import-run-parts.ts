import { resolve } from 'node:path';
import { EscapementError, parseSchedule } from '@escapement/core';
import {
  readAnacrontab,
  readCrontab,
  readRunParts,
  type Starter,
  type StartLine,
  shellQuoted,
  startersIn,
  type Translation,
} from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { crontabsOfHost, hasAnacron } from '../host/crontabs-of-host.ts';
import { foldersOfScripts } from '../host/folders-of-scripts.ts';
import { carryOutImport } from '../imports/carry-out.ts';
import { type ImportOptions, withImportOptions } from '../imports/options.ts';
import { readText, readUser, readUtf8, readZone } from '../options.ts';
import type { ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';

interface RunPartsOptions extends ImportOptions {
  root: string;
  schedule?: string;
  tz?: string;
  user: string;
}

export function addImportRunParts(group: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = group
    .command('run-parts')
    .description(
      'show which tasks the scripts become that run-parts starts: those of /etc/cron.daily and the like; with --write save them. You may repeat it at any time',
    )
    .argument('[folders...]', 'whose scripts; default: of all folders that a crontab or anacron of the host starts')
    .option('--root <folder>', 'the folder that is / of the host', '/')
    .option('--schedule <expression>', 'when the scripts of a folder are due that nothing on the host starts')
    .option('--user <name>', 'who runs the scripts with --schedule, and the jobs of anacron', readUser, 'root')
    .option('--tz <zone>', "zone of lines without CRON_TZ or TZ above them; default: this machine's", readZone);
  withImportOptions(command, 'script').action(async (folders: string[], options: RunPartsOptions) =>
    end(await importRunParts(folders, options, context)),
  );
}

async function importRunParts(given: readonly string[], options: RunPartsOptions, context: Context): Promise<ExitCode> {
  const folders = given.map((folder) => resolve('/', folder));
  const root = resolve(options.root);
  if (options.prune && folders.length > 0 && options.schedule === undefined)
    throw new EscapementError(
      'prune_refused',
      '--prune deletes what is not there any more, and folders that are not named are left out on purpose',
      { fix: 'leave out one of them' },
    );
  const { starters, refused } =
    options.schedule === undefined
      ? await startersOfHost(root, folders, options)
      : startersIn(givenLines(folders, options), { hasAnacron: false });
  const contents = await foldersOfScripts(
    root,
    starters.map(({ call }) => call.folder),
  );
  const { prefix, pool } = options;
  const translation = readRunParts({ starters, folders: contents, prefix, pool });
  translation.refused.push(...refused);
  translation.notes.push(...handOverNotes(starters));
  return await carryOutImport({ format: 'run-parts', translation, options }, context);
}

/** What still runs the scripts. */
function handOverNotes(starters: readonly Starter[]): string[] {
  return starters
    .filter(({ line }) => line.place !== GIVEN)
    .map(
      ({ line, call }) =>
        `${line.place} runs the scripts of ${call.folder} as well: take it out when the tasks are saved, and delete the task of that line if there is one`,
    );
}

const GIVEN = '--schedule';

interface Found {
  starters: Starter[];
  /** Lines that do more, and crontabs that cannot be read: what they start is not known. */
  refused: Translation['refused'];
}

/** Throws what is wrong with the schedule, and `no_run_parts` without a folder. */
function givenLines(folders: readonly string[], { schedule = '', user, tz }: RunPartsOptions): StartLine[] {
  if (folders.length === 0)
    throw new EscapementError(
      'no_run_parts',
      '--schedule says when the scripts of a folder are due, and none is given',
      {
        fix: 'name the folders before it',
      },
    );
  const spec = { kind: 'cron', expression: schedule, dialect: 'vixie', timeZone: tz ?? systemZone() } as const;
  parseSchedule(spec);
  return folders.map((folder) => ({
    place: GIVEN,
    task: { schedule: spec, handler: { type: 'shell', command: `run-parts ${shellQuoted(folder)}`, user } },
    ...{ atFirst: {}, lost: [], notes: [] },
  }));
}

/** What starts the folders on a host; none given: all that something starts. Throws `no_crontabs`, `no_run_parts`. */
async function startersOfHost(root: string, folders: readonly string[], options: RunPartsOptions): Promise<Found> {
  const { lines, refused, isThere } = await linesOfHost(root, options);
  const found = startersIn(lines, { hasAnacron: isThere });
  refused.push(...found.refused);
  const starters = found.starters.filter(({ call }) => folders.length === 0 || folders.includes(call.folder));
  const missing = folders.find((folder) => starters.every(({ call }) => call.folder !== folder));
  if (missing === undefined && starters.length + refused.length > 0) return { starters, refused };
  const [first] = refused;
  throw new EscapementError('no_run_parts', `nothing on this host starts the scripts of ${missing ?? 'a folder'}`, {
    fix: `looked in its crontabs and anacrontab${first ? ` (${first.place}: ${first.reason})` : ''}; \`--schedule '25 6 * * *'\` says when they are due`,
  });
}

/** All lines of all crontabs, and the jobs of anacron where it is installed. */
async function linesOfHost(root: string, { tz, user }: RunPartsOptions) {
  const { crontabs, anacrontab, left } = await crontabsOfHost({ root, source: '' });
  const refused = left.filter(({ unread }) => unread).map(({ path, why }) => ({ place: path, reason: why }));
  const isThere = await hasAnacron(root);
  const lines: StartLine[] = [];
  const add = async (place: string, read: () => Promise<StartLine[]>) => {
    try {
      lines.push(...(await read()));
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      refused.push({ place, reason: error.message });
    }
  };
  for (const { file, path, ...how } of crontabs)
    await add(path, async () => linesOf(await readText(file, noInput), path, { ...how, tz }));
  const path = '/etc/anacrontab';
  if (isThere && anacrontab !== undefined)
    await add(path, async () => {
      const text = await readUtf8(anacrontab, noInput);
      return readAnacrontab({ text, path, timeZone: tz ?? systemZone(), user }).tasks;
    });
  return { lines, refused, isThere };
}

const noInput = async () => '';

function linesOf(
  text: string,
  path: string,
  { system, user, tz }: { system: boolean; user?: string; tz: string | undefined },
): StartLine[] {
  const read = readCrontab(text, {
    ...{ system, user, name: path, timeZone: tz ?? systemZone() },
    timeZoneFrom: tz === undefined ? 'system' : '--tz',
  });
  return read.tasks.map(({ line, task, notes }) => ({ place: `${path}:${line}`, task, atFirst: {}, lost: [], notes }));
}
