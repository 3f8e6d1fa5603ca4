import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { type HostAnswer, MOST_LINES, sideOfStart } from '@escapement/core/shadow';

/** What is kept of lines of crontabs, beside the spool: of the user that runs them. */
export function lineFilesOf(spoolFolder: string): LineFiles {
  return new LineFiles(path.join(path.dirname(spoolFolder), 'lines'));
}

const STARTED = '.started';
const ANSWERS = '.answers.json';
/** Is there while the fleet has a line, or will have it: `sh` reads no answers (guarded-start.ts in operations). */
const OF_FLEET = '.fleet';
/** After all cut-overs. */
const LAST = new Date(8.64e15);

/** For each line that was started from here: when last, and what was answered to its cut-overs. */
export class LineFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** A line is started. What cannot be kept is not kept: then nobody asks here for its cut-overs. */
  noteStart(line: string, startedAt: Date): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const unfinished = path.join(this.folder, `${line}.${process.pid}.part`);
      writeFileSync(unfinished, startedAt.toISOString(), { mode: 0o600 });
      renameSync(unfinished, path.join(this.folder, `${line}${STARTED}`));
    } catch {
      // cron's command is not to suffer from it.
    }
  }

  /** Lines that were started from here, and when last; the latest ones first. */
  started(): { line: string; lastStartedAt: string }[] {
    const all = this.names(STARTED).flatMap((name) => {
      const lastStartedAt = this.read(name);
      return lastStartedAt === undefined || Number.isNaN(Date.parse(lastStartedAt))
        ? []
        : [{ line: name.slice(0, -STARTED.length), lastStartedAt }];
    });
    return all.sort((one, other) => other.lastStartedAt.localeCompare(one.lastStartedAt)).slice(0, MOST_LINES);
  }

  /** What was answered; what is not there, or cannot be read, is nothing: cron runs the line. */
  answers(line: string): HostAnswer[] {
    const text = this.read(`${line}${ANSWERS}`);
    if (text === undefined) return [];
    try {
      const kept: unknown = JSON.parse(text);
      return Array.isArray(kept) ? kept.flatMap((each) => toAnswer(each) ?? []) : [];
    } catch {
      return [];
    }
  }

  /**
   * Marks a line that the fleet has at an instant, or will have, and takes the mark from any other: where the program is not there any more, cron
   * runs the lines without it. Throws where it cannot be written.
   */
  markSide(line: string, answers: readonly HostAnswer[], at: Date): void {
    const mark = path.join(this.folder, `${line}${OF_FLEET}`);
    const isOfFleet = [at, LAST].some((each) => sideOfStart(answers, each) === 'fleet');
    if (isOfFleet) writeFileSync(mark, '', { mode: 0o600 });
    else rmSync(mark, { force: true });
  }

  /** Replaces what was answered, as a whole; it stays when the power goes. Throws where it cannot be written. */
  keepAnswers(line: string, answers: readonly HostAnswer[]): void {
    const unfinished = path.join(this.folder, `${line}.answers.part`);
    const file = openSync(unfinished, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(answers));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path.join(this.folder, `${line}${ANSWERS}`));
    const folder = openSync(this.folder, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }

  private names(end: string): string[] {
    try {
      return readdirSync(this.folder).filter((name) => name.endsWith(end));
    } catch {
      return [];
    }
  }

  private read(name: string): string | undefined {
    try {
      return readFileSync(path.join(this.folder, name), 'utf8');
    } catch {
      return undefined;
    }
  }
}

function toAnswer(value: unknown): HostAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, to, at, answer, answeredAt }: { [field: string]: unknown } = { ...value };
  if (typeof id !== 'string' || typeof at !== 'string' || typeof answeredAt !== 'string') return undefined;
  if ((to !== 'cron' && to !== 'fleet') || (answer !== 'taken' && answer !== 'refused')) return undefined;
  const times = [new Date(at), new Date(answeredAt)] as const;
  if (times.some((time) => Number.isNaN(time.getTime()))) return undefined;
  return { id, to, at: times[0], answer, answeredAt: times[1] };
}
