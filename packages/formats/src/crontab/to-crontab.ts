import { isDeepStrictEqual } from 'node:util';
import { DAY, HOUR, handlerFacts, MINUTE, type ShellHandler, type TaskDefinition } from '@escapement/core';
import { parseSchedule, ScheduleError, type ScheduleSpec } from '@escapement/core/schedule';
import { shellQuoted } from '../shell-quoted.ts';
import type { ExportedTask, LeftTask } from '../translated/exported-task.ts';
import { readEnvLine } from './env-line.ts';
import { joinPercent } from './percent.ts';

export interface CrontabExport {
  text: string;
  /** Tasks that a crontab cannot express. */
  left: LeftTask[];
}

export interface ExportOptions {
  /** With a user column. Default false. */
  system?: boolean;
  /** For the user column, where a task names none. Default: such tasks are left out. */
  user?: string | undefined;
}

interface Entry {
  task: TaskDefinition;
  paused: boolean;
  schedule: string;
  command: string;
  env: Map<string, string>;
  notes: string[];
}

const HEADER = `# Exported by escapement. What cron does otherwise: it starts a second run while the first still goes on, it
# knows no time limit and no retry, and nobody sees a run that it did not start.
`;

/** Writes tasks as a crontab, each with a note of what is lost. Pure. */
export function toCrontab(tasks: readonly ExportedTask[], options: ExportOptions = {}): CrontabExport {
  const results = tasks.map((task) => ({ name: task.definition.name, entry: entryOf(task, options) }));
  const left = results.flatMap(({ name, entry }) => (typeof entry === 'string' ? [{ name, reason: entry }] : []));
  const entries = results.flatMap(({ entry }) => (typeof entry === 'string' ? [] : [entry]));
  // A crontab cannot unset a variable: lines that need few come first.
  entries.sort((one, other) => one.env.size - other.env.size);
  const blocks = [
    ...withEnv(entries),
    ...left.map(({ name, reason }) => `${comment(`${name} is not here: ${reason}`)}\n`),
  ];
  return { text: [HEADER, ...blocks].join('\n'), left };
}

/** The entry, or why there is none. */
function entryOf({ definition: task, paused }: ExportedTask, options: ExportOptions): Entry | string {
  const { shell: handler } = handlerFacts(task.handler);
  if (!handler) return `cron runs shell commands, this is a task of type ${task.handler.type}`;
  const when = scheduleOf(task);
  if ('reason' in when) return when.reason;
  const command = commandOf(handler);
  if (/[\n\r]/.test(command)) return 'its command has more than one line';
  const env = envOf(task, handler, when.timeZone);
  if (typeof env === 'string') return env;
  const user = userOf(handler, options);
  if ('reason' in user) return user.reason;
  const line = joinPercent({ command, ...(handler.stdin === undefined ? {} : { stdin: handler.stdin }) });
  const notes = notesOf(task, handler, options);
  if (paused) notes.unshift('paused');
  return { task, paused, schedule: when.expression, command: user.column + line, env, notes };
}

const USER_NAME = /^[A-Za-z_][A-Za-z0-9_.@\\-]*\$?$/;

/** What stands before the command. A name with a line break would begin a line of its own, for whom it likes. */
function userOf(handler: ShellHandler, { system, user }: ExportOptions): { column: string } | { reason: string } {
  const name = handler.user ?? (system ? user : undefined);
  if (name !== undefined && !USER_NAME.test(name)) return { reason: `${JSON.stringify(name)} is no name of a user` };
  if (!system) return { column: '' };
  return name === undefined
    ? { reason: 'it names no user; --user NAME says who runs such tasks' }
    : { column: `${name} ` };
}

type When = { expression: string; timeZone?: string } | { reason: string };

function scheduleOf({ schedule, onFleetStart }: TaskDefinition): When {
  if (schedule.startAt || schedule.endAt) return { reason: 'its schedule has a start or an end' };
  switch (schedule.kind) {
    case 'cron':
      return sameInCron(schedule);
    case 'every':
      return everyInCron(schedule.everyMs, schedule.phaseMs ?? 0);
    case 'manual':
      return onFleetStart ? { expression: '@reboot' } : { reason: 'it has no schedule, it runs by hand' };
    default:
      return { reason: `cron knows no schedule of kind ${schedule.kind}` };
  }
}

function sameInCron(spec: Extract<ScheduleSpec, { kind: 'cron' }>): When {
  const { timeZone } = spec;
  if (spec.dayOffset || spec.workingDayOffset) return { reason: 'cron cannot say "days before" or "days after"' };
  const expression = fiveFields(spec.expression);
  try {
    const ours = parseSchedule(spec);
    const theirs = parseSchedule({ kind: 'cron', expression, timeZone, dialect: 'vixie' });
    if (ours.kind === 'cron' && theirs.kind === 'cron' && isDeepStrictEqual(ours.pattern, theirs.pattern))
      return { expression, timeZone };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
  }
  return { reason: `cron reads "${spec.expression}" otherwise, or not at all` };
}

/** Without second and year, where these say nothing. */
function fiveFields(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  if (expression.trim().toLowerCase() === '@minutely') return '* * * * *';
  const plain = fields.length > 5 && fields[0] === '0' && (fields[6] ?? '*') === '*';
  return (plain ? fields.slice(1, 6) : fields).join(' ');
}

/** Steps that divide the hour or the day, on the grid that counts from the epoch: in UTC. */
function everyInCron(everyMs: number, phaseMs: number): When {
  const timeZone = 'UTC';
  const reason = `cron cannot say "every ${everyMs / 1000} s"`;
  if (phaseMs % MINUTE !== 0) return { reason };
  if (everyMs % MINUTE === 0 && HOUR % everyMs === 0)
    return { expression: `${steps(phaseMs / MINUTE, everyMs / MINUTE, 60)} * * * *`, timeZone };
  if (everyMs % HOUR !== 0 || DAY % everyMs !== 0) return { reason };
  const hours = steps(Math.floor(phaseMs / HOUR), everyMs / HOUR, 24);
  return { expression: `${(phaseMs % HOUR) / MINUTE} ${hours} * * *`, timeZone };
}

function steps(first: number, step: number, count: number): string {
  if (step === count) return String(first);
  if (first === 0) return step === 1 ? '*' : `*/${step}`;
  return `${first}-${count - 1}/${step}`;
}

function commandOf(handler: ShellHandler): string {
  const command = handler.command ?? (handler.argv ?? []).map(shellQuoted).join(' ');
  const home = typeof handler.env?.HOME === 'string' ? handler.env.HOME : undefined;
  return handler.cwd === undefined || handler.cwd === home ? command : `cd ${shellQuoted(handler.cwd)} && ${command}`;
}

/** The settings above the line, or why they cannot be written. */
function envOf(
  task: TaskDefinition,
  handler: ShellHandler,
  timeZone: string | undefined,
): Map<string, string> | string {
  const env = new Map<string, string>();
  for (const [name, value] of Object.entries(handler.env ?? {})) {
    if (typeof value !== 'string') return `its variable ${name} is a secret of the worker`;
    if (settingOf(name, value) === undefined) return `its variable ${name} has a value that a crontab cannot hold`;
    env.set(name, value);
  }
  const shell = handler.shell ?? '/bin/sh';
  if (settingOf('SHELL', shell) === undefined) return 'its shell has a name that a crontab cannot hold';
  env.set('SHELL', shell);
  if (timeZone !== undefined) env.set('CRON_TZ', timeZone);
  if (task.notify?.none) env.set('MAILTO', '');
  else if (task.notify?.email) env.set('MAILTO', task.notify.email.join(','));
  return env;
}

/** The setting's line, if cron reads back the same from it. */
function settingOf(name: string, value: string): string | undefined {
  const ways = value === '' ? ['""'] : [value, `"${value}"`, `'${value}'`];
  const lines = ways.map((way) => `${name}=${way}`);
  return /[\n\r]/.test(value) ? undefined : lines.find((line) => readEnvLine(line)?.value === value);
}

function notesOf(task: TaskDefinition, handler: ShellHandler, { system, user }: ExportOptions): string[] {
  const notes: string[] = [];
  if (handler.user !== undefined && !system) notes.push(`runs as ${handler.user}: belongs into that user's crontab`);
  if (handler.user === undefined && system) notes.push(`the task names no user; ${user} stands for the worker's`);
  if (task.retry.maxAttempts > 1) notes.push(`up to ${task.retry.maxAttempts} attempts; cron tries once`);
  if (task.pool !== 'default') notes.push(`runs on workers of the pool ${task.pool}`);
  if (task.runOn) notes.push('runs on every worker: belongs into the crontab of each host');
  if (task.schedule.jitterMs) notes.push(`spread over ${task.schedule.jitterMs / 1000} s`);
  if (task.notify?.webhook) notes.push('failures are sent to a webhook; cron sends mail only');
  if (task.payload !== undefined) notes.push('has a payload');
  if (task.key !== undefined || task.limit > 1) notes.push('shares a mutual-exclusion key, or has a limit of its own');
  return notes;
}

function withEnv(entries: readonly Entry[]): string[] {
  const set = new Map<string, string>();
  return entries.map((entry) => {
    const settings = [...entry.env].filter(([name, value]) => set.get(name) !== value);
    const leaking = [...set.keys()].filter((name) => !entry.env.has(name));
    for (const [name, value] of settings) set.set(name, value);
    const notes = [...entry.notes, ...leaking.map((name) => `${name}, set above, holds for this line too`)];
    return blockOf(entry, settings, notes);
  });
}

function blockOf({ task, paused, schedule, command }: Entry, settings: [string, string][], notes: string[]): string {
  const lines = [
    comment(`${task.name}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`),
    ...settings.map(([name, value]) => settingOf(name, value) ?? ''),
    '',
    ...(task.description === undefined ? [] : task.description.split('\n').map(comment)),
    `${paused ? '#' : ''}${schedule} ${command}`,
    '',
  ];
  return lines.join('\n');
}

/** One line, whatever is in the text. */
function comment(text: string): string {
  return `# ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`;
}
