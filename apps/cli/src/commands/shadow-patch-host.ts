import { existsSync } from 'node:fs';
import { counted, EscapementError } from '@escapement/core';
import { patchedLines } from '@escapement/formats';
import type { Command } from 'commander';
import { loginFile } from '../access/login-file.ts';
import type { Context } from '../context.ts';
import { crontabsOfHost, type HostCrontab, type LeftFile } from '../host/crontabs-of-host.ts';
import { homeOf } from '../host/home-of.ts';
import { type HostOptions, hostOf, withHostOptions } from '../host/options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import type { Column } from '../output/table.ts';
import { readCrontabFile } from './crontab-file.ts';
import { type Program, programOf } from './own-program.ts';
import { PROGRAM_OPTION, patchFile, unpatchFile } from './shadow-patch.ts';

interface PatchHostOptions extends HostOptions {
  program?: string;
}

/** What was done to a crontab. */
interface Done {
  crontab: string;
  result: 'patched' | 'was patched' | 'as it was' | 'was not patched' | 'no lines' | 'failed';
  /** Lines that are reported, or were. */
  lines: number;
  /** Why it failed, and what to do. */
  why: string | null;
}

const COLUMNS: Column<Done>[] = [
  { title: 'CRONTAB', value: ({ crontab }) => crontab },
  { title: 'LINES', value: ({ lines }) => String(lines), align: 'right' },
  { title: 'RESULT', value: ({ result }) => result },
  { title: 'WHY', value: ({ why }) => why ?? '-', wraps: true },
];

/** `shadow patch-host` and `unpatch-host`: of all crontabs of a host, each by itself. One that fails stops no other. */
export function addPatchHost(shadow: Command, context: Context, end: (code: ExitCode) => void): void {
  withHostOptions(
    shadow
      .command('patch-host')
      .description('have the lines of all crontabs of this host reported, as `import host` finds them; may be repeated')
      .option(...PROGRAM_OPTION),
  ).action(async (options: PatchHostOptions) => end(await patchHost(options, context)));
  withHostOptions(
    shadow
      .command('unpatch-host')
      .description('make all crontabs of this host what they were before they were patched, to the byte'),
  ).action(async (options: HostOptions) => end(await unpatchHost(options, context)));
}

async function patchHost(options: PatchHostOptions, context: Context): Promise<ExitCode> {
  const asked = hostOf(options);
  const program = programFor(asked.root, options.program);
  const { crontabs, left } = await crontabsOfHost(asked);
  const done = await ofEach(crontabs, async (crontab) => {
    const { changed, lines } = await patchFile(crontab.file, crontab, program);
    const count = lines.filter(({ action }) => action !== 'left').length;
    if (count === 0) return { lines: 0, result: 'no lines' };
    return { lines: count, result: changed ? 'patched' : 'was patched' };
  });
  const code = show({ host: asked.source, done, left }, context);
  if (program.warning !== undefined) context.output.note(program.warning);
  if (asked.root === '/') for (const user of await notSignedIn(crontabs, context)) context.output.note(signIn(user));
  context.output.note(`their tasks: \`escapement import host --source ${asked.source} --shadow --write\``);
  return code;
}

/** Throws `bad_program`, and `bad_usage` for a host that is seen below a folder: it has other paths, and other users. */
function programFor(root: string, given: string | undefined): Program {
  if (root !== '/' && given === undefined)
    throw new EscapementError('bad_usage', `the host below ${root} does not start what runs here`, {
      fix: 'say how a shell starts the command line there: --program; or give the command on that host',
    });
  return programOf(given);
}

async function unpatchHost(options: HostOptions, context: Context): Promise<ExitCode> {
  const asked = hostOf(options);
  const { crontabs, left } = await crontabsOfHost(asked);
  const done = await ofEach(crontabs, async (crontab) => {
    const { lines } = await unpatchFile(crontab.file, crontab, context);
    return { lines: lines.length, result: lines.length > 0 ? 'as it was' : 'was not patched' };
  });
  return show({ host: asked.source, done, left }, context);
}

async function ofEach(
  crontabs: readonly HostCrontab[],
  change: (crontab: HostCrontab) => Promise<Pick<Done, 'lines' | 'result'>>,
): Promise<Done[]> {
  const done: Done[] = [];
  for (const crontab of crontabs) {
    const { path } = crontab;
    try {
      done.push({ crontab: path, ...(await change(crontab)), why: null });
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      const why = `${error.message}${error.fix ? `: ${error.fix}` : ''}`;
      done.push({ crontab: path, lines: 0, result: 'failed', why });
    }
  }
  return done;
}

function show({ host, done, left }: { host: string; done: Done[]; left: LeftFile[] }, { output }: Context): ExitCode {
  output.table({ host, crontabs: done, left }, done, COLUMNS);
  for (const { path, why } of left) output.note(`left: ${path}: ${why}`);
  const failed = done.filter(({ result }) => result === 'failed').length;
  if (failed === 0) return EXIT.ok;
  output.note(
    `${counted(failed, 'crontab')} of ${done.length}: nothing is changed; correct that, and give the command again`,
  );
  return EXIT.usage;
}

/** Who runs lines that are patched, and has nowhere to send reports to. */
async function notSignedIn(crontabs: readonly HostCrontab[], { env }: Context): Promise<string[]> {
  const users = new Set<string>();
  for (const crontab of crontabs) {
    const read = await readCrontabFile(crontab.file).catch(() => undefined);
    for (const { user, env: settings } of read ? patchedLines(read.bytes, crontab) : [])
      if (user !== null && !signedIn(user, settings)) users.add(user);
  }
  return [...users].sort();

  function signedIn(user: string, settings: Readonly<Record<string, string>>): boolean {
    if (settings.ESCAPEMENT_URL !== undefined || settings.DATABASE_URL !== undefined) return true;
    const HOME = settings.HOME ?? homeOf(user) ?? env.HOME;
    return existsSync(loginFile({ HOME, XDG_CONFIG_HOME: settings.XDG_CONFIG_HOME }));
  }
}

function signIn(user: string): string {
  return `${user} runs lines, and is signed in nowhere: its reports wait until \`escapement login URL < token.txt\` is given as ${user}`;
}
