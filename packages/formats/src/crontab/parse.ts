import { CRONTAB_USER, NOT_UTF8 } from '@escapement/core';
import { Description } from './description.ts';
import { type EnvSetting, readEnvLine } from './env-line.ts';
import { splitSchedule } from './fields.ts';
import { splitPercent } from './percent.ts';

interface Line {
  /** Counted from 1. */
  line: number;
  /** As in the file, without the line's end. */
  text: string;
}

/** A line that runs a command. */
export interface ScheduleLine extends Line {
  kind: 'schedule';
  /** Five fields with single blanks between them, or a macro. Not checked yet. */
  schedule: string;
  /** The user column of the system format, or whose crontab it is. */
  user?: string;
  command: string;
  stdin?: string;
  /** The settings above the line, the last one of a name. */
  env: Readonly<Record<string, string>>;
  /** The comments directly above it. */
  description?: string;
  /** What is worth knowing about how the line was read. */
  notes: readonly string[];
}

export type CrontabLine =
  | (Line & { kind: 'blank' })
  | (Line & { kind: 'comment' })
  | (Line & EnvSetting & { kind: 'env'; notes: readonly string[] })
  | ScheduleLine
  | (Line & { kind: 'bad'; reason: string });

export interface CrontabFormat {
  /** With a user column, as in /etc/crontab and /etc/cron.d. Default false. */
  system?: boolean;
  /** Whose crontab it is: its lines run as this user. Only without `system`. Default: not said. */
  user?: string | undefined;
}

/** Reads a crontab line by line, as cron does. A bad line becomes `bad` with its reason and stops nothing. */
export function parseCrontab(text: string, format: CrontabFormat = {}): CrontabLine[] {
  const reader = new Reader(format);
  return linesOf(text).map((each, index) => reader.read({ line: index + 1, text: each }));
}

function linesOf(text: string): string[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Reads one line after the other; env settings and comments are for those below them. */
class Reader {
  private env: Record<string, string> = {};
  private readonly description = new Description();
  private readonly format: CrontabFormat;

  constructor(format: CrontabFormat) {
    this.format = format;
  }

  read(line: Line): CrontabLine {
    const content = line.text.replace(/^[ \t]+/, '');
    if (content.startsWith('#')) {
      this.description.comment(content);
      return { ...line, kind: 'comment' };
    }
    const description = this.description.take();
    if (content.trim() === '') return { ...line, kind: 'blank' };
    if (content.includes('\0')) return { ...line, kind: 'bad', reason: 'it contains a NUL character' };
    // What is left of bytes that are no UTF-8: the command would be another one.
    if (content.includes('\uFFFD'))
      return {
        ...line,
        kind: 'bad',
        reason: NOT_UTF8,
      };
    const setting = readEnvLine(content);
    if (setting) return this.readSetting(line, setting);
    return this.readSchedule(line, content, description);
  }

  private readSetting(line: Line, setting: EnvSetting): CrontabLine {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(setting.name))
      return {
        ...line,
        kind: 'bad',
        reason: `"${setting.name}" cannot be the name of an environment variable: letters, digits and _, not a digit first`,
      };
    this.env = { ...this.env, [setting.name]: setting.value };
    return { ...line, ...setting, kind: 'env', notes: settingNotes(setting, line.text) };
  }

  private readSchedule(line: Line, content: string, description: string | undefined): CrontabLine {
    const quiet = /^-(?=[^ \t])/.test(content);
    const split = splitSchedule(quiet ? content.slice(1) : content);
    if (!split.ok) return { ...line, kind: 'bad', reason: split.reason };
    const job = readJob(split.rest, this.format.system ?? false);
    if (!job.ok) return { ...line, kind: 'bad', reason: job.reason };
    const { user = this.format.user, command, notes } = job;
    return {
      ...line,
      kind: 'schedule',
      schedule: split.schedule,
      ...(user === undefined ? {} : { user }),
      ...splitPercent(command),
      env: this.env,
      ...(description === undefined ? {} : { description }),
      notes: quiet ? ['the leading "-" (do not log) has no effect: every run is in the ledger', ...notes] : notes,
    };
  }
}

function settingNotes({ name, value }: EnvSetting, text: string): string[] {
  if (value === '' && /=\s*$/.test(text))
    return [`cron refuses ${name}= with nothing behind it; taken as empty (in a crontab write ${name}="")`];
  if (name === 'PATH' && value.includes('$'))
    return [`nothing is expanded in a setting: PATH holds the text "${value}" as it stands, as in cron`];
  if (name === 'RANDOM_DELAY')
    return ['RANDOM_DELAY, which delays runs in cronie and anacron, is only passed to the commands'];
  return [];
}

/** Days of the week, as in a sixth field; no program is called so. */
const SIXTH_FIELD =
  /^(?=.*[-,a-z])(?:(?:\d+|sun|mon|tue|wed|thu|fri|sat)(?:-(?:\d+|sun|mon|tue|wed|thu|fri|sat))?(?:,|$))+$/i;

type Job = { ok: true; user?: string; command: string; notes: string[] } | { ok: false; reason: string };

/** The part behind the schedule: user column if there is one, flags of the BSDs, command. */
function readJob(rest: string, system: boolean): Job {
  const [, user = '', behindUser = ''] = /^([^ \t]+)[ \t]*(.*)$/s.exec(rest) ?? [];
  if (rest === '') return { ok: false, reason: `no ${system ? 'user and no ' : ''}command behind the schedule` };
  if (rest.startsWith('*'))
    return { ok: false, reason: 'the command begins with "*": a sixth field? A crontab has five, without seconds' };
  const [sixth = ''] = rest.split(/[ \t]/);
  if (SIXTH_FIELD.test(sixth))
    return {
      ok: false,
      reason: `the command begins with "${sixth}": a sixth field? A crontab has five, without seconds`,
    };
  if (!system) return { ok: true, ...readCommand(rest, userNotes(user, behindUser)) };
  if (!CRONTAB_USER.test(user))
    return {
      ok: false,
      reason: `"${user}" stands in the user column and cannot be a user; if the file has no such column, import it without --system`,
    };
  if (behindUser === '')
    return {
      ok: false,
      reason: `no command behind the user "${user}"; without a user column, import it without --system`,
    };
  return { ok: true, user, ...readCommand(behindUser, []) };
}

/** FreeBSD and OpenBSD take flags before the command: -n (mail on failure only), -q (do not log), -s (never two at once). */
function readCommand(text: string, notes: string[]): { command: string; notes: string[] } {
  const [flags = ''] = /^(?:-[nqs]+[ \t]+)+/.exec(text) ?? [];
  const command = text.slice(flags.length).replace(/(?<!\\)[ \t]+$/, '');
  if (flags === '') return { command, notes };
  return { command, notes: [...notes, `the flags "${flags.trim()}" before the command have no effect here`] };
}

const USUAL_USERS = new Set(
  'root www-data nobody daemon operator postgres mysql redis nginx apache git ubuntu debian admin ec2-user vagrant pi munin'.split(
    ' ',
  ),
);

function userNotes(first: string, behind: string): string[] {
  if (!USUAL_USERS.has(first) || behind === '') return [];
  return [`the command begins with "${first}": if that is a user column, import the file with --system`];
}
