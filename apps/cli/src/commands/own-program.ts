import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EscapementError } from '@escapement/core';
import { patchedLines, shellQuoted } from '@escapement/formats';
import { barTo, idsOf, type NeededFile, SOMEBODY_ELSE } from '../host/reach.ts';

/** How the lines of a crontab start the command line. */
export interface Program {
  /** For a shell. */
  command: string;
  /** What a user needs to start it; none: it was given, and is taken as it is. */
  files: readonly NeededFile[];
  /** Why it may not last. */
  warning?: string;
}

const PLACE = 'install it in a folder that stays and that everybody can read, such as /usr/lib/escapement';
const FIX = `${PLACE}, and give the command of that one; --program names one that is not checked`;

/**
 * The program that is given, or the one that runs now: cron's PATH has neither node nor us. Throws `bad_program` for one that npx keeps for a
 * while.
 */
export function programOf(given: string | undefined): Program {
  if (given !== undefined) return { command: given, files: [] };
  const [node = '', argument = ''] = process.argv;
  const program = realpathSync(argument);
  if (/[/\\]_npx[/\\]/.test(program))
    throw new EscapementError(
      'bad_program',
      `${program} is in the cache of npx, which is cleared at any time: then cron would run the lines, and nobody would hear of it; nothing is changed`,
      { fix: FIX },
    );
  const bundle = fileURLToPath(new URL('../dist/bundle/bundle.json', pathToFileURL(program)));
  const read = [program, bundle].filter((path) => existsSync(path));
  const temporary = folderOfTemporary(program);
  return {
    command: [node, program].map(shellQuoted).join(' '),
    files: [{ path: node, need: 'execute' }, ...read.map((path) => ({ path, need: 'read' as const }))],
    ...(temporary === undefined
      ? {}
      : {
          warning: `the lines start ${program}, and ${temporary} is for what is temporary: when it is cleared, cron runs them, and nobody hears of it: ${PLACE}, and patch again with that one`,
        }),
  };
}

function folderOfTemporary(program: string): string | undefined {
  return [realpathSync(tmpdir()), '/tmp', '/var/tmp', '/dev/shm'].find((folder) => program.startsWith(`${folder}/`));
}

/**
 * Refuses a patch after which commands would run without a report: the users of its lines cannot reach the program. Returns what to tell where it is not
 * known whose lines they are. Throws `bad_program`.
 */
export async function checkReach(
  patched: Buffer,
  { files }: Program,
  format: { system: boolean; user?: string | undefined },
): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const users = new Set(patchedLines(patched, format).map(({ user }) => user));
  for (const user of users) {
    const ids = user === null ? undefined : await idsOf(user);
    for (const file of files) {
      const bar = await barTo(file, ids ?? SOMEBODY_ELSE);
      if (bar === undefined) continue;
      if (user === null)
        return `not every user can reach ${file.path}: ${bar.replace('to it', 'to others')}. If the lines are not yours, name the user (--user): one that cannot is refused`;
      throw new EscapementError(
        'bad_program',
        `${user} cannot reach ${file.path}: ${bar}; its lines would not be reported, so nothing is changed`,
        { fix: FIX },
      );
    }
  }
  return undefined;
}
