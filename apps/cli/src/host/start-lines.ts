import { EscapementError } from '@escapement/core';
import { mentionsRunParts, readAnacrontab, readCrontab, type StartLine, type Translation } from '@escapement/formats';
import { readText, readUtf8 } from '../options.ts';
import { systemZone } from '../output/wording.ts';
import { crontabsOfHost, hasAnacron } from './crontabs-of-host.ts';

/** What starts commands on a host. */
export interface StartLines {
  lines: StartLine[];
  /** What may start scripts and cannot be read. */
  refused: Translation['refused'];
  notes: string[];
  /** Anacron is installed. */
  hasAnacron: boolean;
}

const ANACRONTAB = '/etc/anacrontab';

/** `tz`: the zone of lines that name none; undefined: this machine's. `user`: who runs the jobs of anacron. */
interface HowToRead {
  tz?: string | undefined;
  user: string;
}

/** All lines of all crontabs of a host, and the jobs of anacron where it is installed. Throws `no_crontabs`. */
export async function startLinesOf(root: string, { tz, user: anacronUser }: HowToRead): Promise<StartLines> {
  const { crontabs, anacrontab, left } = await crontabsOfHost({ root, source: '' });
  const found: StartLines = { lines: [], refused: [], notes: [], hasAnacron: await hasAnacron(root) };
  for (const { path, why, unread } of left) if (unread) found.refused.push({ place: path, reason: why });
  const timeZone = tz ?? systemZone();
  for (const { file, path, system, user } of crontabs)
    await orRefused(found, path, async () => {
      const text = await readText(file, noInput);
      const timeZoneFrom = tz === undefined ? 'system' : '--tz';
      const read = readCrontab(text, { system, user, name: path, timeZone, timeZoneFrom });
      for (const { line, task, notes } of read.tasks)
        found.lines.push({ place: `${path}:${line}`, task, atFirst: {}, lost: [], notes });
      for (const { line, text, reason } of read.bad)
        if (mentionsRunParts(text)) found.refused.push({ place: `${path}:${line}`, reason });
    });
  if (found.hasAnacron && anacrontab !== undefined)
    await orRefused(found, ANACRONTAB, async () => {
      const text = await readUtf8(anacrontab, noInput);
      const { tasks, refused, notes } = readAnacrontab({ text, path: ANACRONTAB, timeZone, user: anacronUser });
      found.lines.push(...tasks);
      found.refused.push(...refused);
      found.notes.push(...notes);
    });
  return found;
}

async function orRefused({ refused }: StartLines, place: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    refused.push({ place, reason: error.message });
  }
}

const noInput = async () => '';
