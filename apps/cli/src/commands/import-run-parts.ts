import { resolve } from 'node:path';
import { EscapementError } from '@escapement/core';
import { parseSchedule } from '@escapement/core/schedule';
import {
  readRunParts,
  type Starter,
  type StartLine,
  shellQuoted,
  startersIn,
  type Translation,
} from '@escapement/formats';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { foldersOfScripts } from '../host/folders-of-scripts.ts';
import { startLinesOf } from '../host/start-lines.ts';
import { carryOutImport } from '../imports/carry-out.ts';
import { type ImportOptions, withImportOptions } from '../imports/options.ts';
import { readUser, readZone } from '../options.ts';
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
  if (options.prune && folders.length > 0)
    throw new EscapementError(
      'prune_refused',
      '--prune deletes what is not there any more, and folders that are not named are left out on purpose',
      { fix: 'leave out one of them; `escapement tasks delete` deletes a task' },
    );
  const { starters, refused, notes } =
    options.schedule === undefined
      ? await startersOfHost(root, folders, options)
      : { ...startersIn(givenLines(folders, options), { hasAnacron: false }), notes: [] };
  const contents = await foldersOfScripts(
    root,
    starters.map(({ call }) => call.folder),
  );
  const { prefix, pool } = options;
  const translation = readRunParts({ starters, folders: contents, only: folders, prefix, pool });
  translation.refused.push(...refused);
  translation.notes.push(...notes, ...handOverNotes(starters, folders));
  return await carryOutImport({ format: 'run-parts', translation, options }, context);
}

/** What still runs the scripts. */
function handOverNotes(starters: readonly Starter[], folders: readonly string[]): string[] {
  return starters
    .filter(({ call }) => folders.length === 0 || folders.includes(call.folder))
    .map(({ line, call }) =>
      line.place === GIVEN
        ? `see that nothing on the host runs the scripts of ${call.folder} as well`
        : `${line.place} runs the scripts of ${call.folder} as well: take it out when the tasks are saved, and delete the task of that line if there is one`,
    );
}

const GIVEN = '--schedule';

interface Found {
  starters: Starter[];
  /** Lines that do more, and crontabs that cannot be read: what they start is not known. */
  refused: Translation['refused'];
  notes: string[];
}

/** Throws what is wrong with the schedule, and `no_run_parts` without a folder. */
function givenLines(folders: readonly string[], { schedule = '', user, tz }: RunPartsOptions): StartLine[] {
  const expression = schedule.trim().replace(/\s+/g, ' ');
  if (folders.length === 0)
    throw new EscapementError(
      'no_run_parts',
      '--schedule says when the scripts of a folder are due, and none is given',
      {
        fix: 'name the folders before it',
      },
    );
  const spec = { kind: 'cron', expression, dialect: 'vixie', timeZone: tz ?? systemZone() } as const;
  parseSchedule(spec);
  return folders.map((folder) => ({
    place: GIVEN,
    task: { schedule: spec, handler: { type: 'shell', command: `run-parts ${shellQuoted(folder)}`, user } },
    ...{ atFirst: {}, lost: [], notes: [] },
  }));
}

/** What starts the folders on a host; none given: all that something starts. Throws `no_crontabs`, `no_run_parts`. */
async function startersOfHost(root: string, folders: readonly string[], options: RunPartsOptions): Promise<Found> {
  const { lines, refused, notes, hasAnacron } = await startLinesOf(root, options);
  const { starters, refused: more } = startersIn(lines, { hasAnacron });
  refused.push(...more);
  const missing = folders.find((folder) => starters.every(({ call }) => call.folder !== folder));
  if (missing === undefined && starters.length + refused.length > 0) return { starters, refused, notes };
  const [first] = refused;
  throw new EscapementError('no_run_parts', `nothing on this host starts the scripts of ${missing ?? 'a folder'}`, {
    fix: `looked in its crontabs and anacrontab${first ? ` (${first.place}: ${first.reason})` : ''}; \`--schedule '25 6 * * *'\` says when they are due`,
  });
}
