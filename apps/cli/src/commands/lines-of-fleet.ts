import { briefly, EscapementError } from '@escapement/core';
import { sideOfStart } from '@escapement/core/shadow';
import { patchedLines } from '@escapement/formats';
import { homeOf } from '../host/home-of.ts';
import { lineFilesOf } from '../report/line-files.ts';
import { spoolOf } from '../report/spool.ts';

const LAST = new Date(8.64e15);

/** Without its patch cron would run a line again that the fleet has. Throws `line_of_fleet`. */
export function refuseLinesOfFleet(
  given: Buffer,
  format: { system: boolean; user?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): void {
  const ofFleet = patchedLines(given, format).filter(({ id, user, env: settings }) => {
    const HOME = settings.HOME ?? (user === null ? env.HOME : homeOf(user));
    const { folder } = spoolOf({ HOME, XDG_STATE_HOME: settings.XDG_STATE_HOME });
    return sideOfStart(lineFilesOf(folder).answers(id), LAST) === 'fleet';
  });
  if (ofFleet.length === 0) return;
  const lines = briefly(ofFleet.map(({ line, id }) => `${line} (${id})`));
  throw new EscapementError(
    'line_of_fleet',
    `line ${lines}: the fleet has it, and cron would run it too; nothing is changed`,
    {
      fix: `take such lines out of the crontab; or give them back first: \`escapement shadow back ${ofFleet.map(({ id }) => id).join(' ')}\``,
    },
  );
}
