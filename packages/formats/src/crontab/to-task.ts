import { DAY, type TaskInput, taskDefinition } from '@escapement/core';
import { parseSchedule, type Schedule, ScheduleError, type ScheduleSpec } from '@escapement/core/schedule';
import { plainForms } from './forms.ts';
import type { ScheduleLine } from './parse.ts';
import { mailOf, surroundingsOf } from './settings.ts';
import { idByHand } from './wrapped-line.ts';

/** A task but for its name, which depends on the tasks that are there already. */
export type UnnamedTask = Omit<TaskInput, 'name'> & { handler: Extract<TaskInput['handler'], { type: 'shell' }> };

export interface ToTaskOptions {
  /** Zone of lines without CRON_TZ or TZ above them, and where it comes from. */
  timeZone: string;
  timeZoneFrom: '--tz' | 'system';
  /** Pool of the tasks. Default: `default`, or the one an imported task has already. */
  pool?: string | undefined;
}

export type ToTask =
  | { ok: true; task: UnnamedTask; schedule: Schedule; timeZone: string; notes: string[] }
  | { ok: false; reason: string };

/** cron knows no time limit. A day lets any nightly job end, and yet a hung one does not hold its key for ever. */
const TIME_LIMIT_MS = 1 * DAY;

/** What is started with the machine is often meant to stay: the longest time core admits. */
const START_TIME_LIMIT_MS = 30 * DAY;

/** Turns a schedule line into a task, or says why it cannot be one. Pure. */
export function toTask(line: ScheduleLine, options: ToTaskOptions): ToTask {
  const reported = idByHand(line.command);
  if (reported !== undefined) return { ok: false, reason: byHand(reported) };
  const zone = zoneOf(line.env, options);
  const plain = plainForms(line.schedule, line.command);
  const spec: ScheduleSpec = isReboot(line)
    ? { kind: 'manual' }
    : {
        kind: 'cron',
        expression: plain.schedule,
        dialect: 'vixie',
        timeZone: zone.name,
        ...(plain.bothDays ? { dayMatch: 'and' } : {}),
      };
  const mail = mailOf(line.env);
  const task: UnnamedTask = {
    ...(line.description === undefined ? {} : { description: line.description }),
    schedule: spec,
    ...(isReboot(line) ? { onFleetStart: true } : {}),
    handler: handlerOf(line),
    ...(mail.notify === undefined ? {} : { notify: mail.notify }),
    timeoutMs: isReboot(line) ? START_TIME_LIMIT_MS : TIME_LIMIT_MS,
    ...(options.pool === undefined ? {} : { pool: options.pool }),
  };
  const checked = check(task);
  if (!checked.ok) return { ok: false, reason: (checked.code === 'unknown_zone' && zone.broken) || checked.reason };
  const notes = [
    ...line.notes,
    ...plain.notes,
    ...lineNotes(line),
    ...(isReboot(line) ? [] : zone.notes),
    ...mail.notes,
  ];
  return { ok: true, task, schedule: checked.schedule, timeZone: zone.name, notes };
}

function byHand(id: string): string {
  return `the command is wrapped by hand in \`report --line ${id}\`: the task would run the report, not the command; take the wrapper off, and have \`escapement shadow patch\` write it`;
}

const isReboot = (line: ScheduleLine) => line.schedule === '@reboot';

interface Zone {
  name: string;
  notes: string[];
  /** Why the file is to blame if the name is none. */
  broken?: string;
}

function zoneOf(env: ScheduleLine['env'], { timeZone, timeZoneFrom }: ToTaskOptions): Zone {
  const set = env.CRON_TZ?.replace(/^:/, '');
  if (set) return { name: set, notes: [] };
  const processZone = env.TZ?.replace(/^:/, '');
  if (processZone)
    return {
      name: processZone,
      notes: ['TZ is taken as the zone of the schedule too; where cron takes only CRON_TZ, write that'],
      broken: `TZ=${processZone} is not an IANA zone such as Europe/Berlin; put CRON_TZ with one above the line`,
    };
  const from = timeZoneFrom === '--tz' ? 'is given by --tz' : "is this machine's (no CRON_TZ, no --tz)";
  return { name: timeZone, notes: [`zone ${timeZone} ${from}`] };
}

function handlerOf(line: ScheduleLine): UnnamedTask['handler'] {
  return {
    type: 'shell',
    command: line.command,
    ...surroundingsOf(line.env),
    ...(line.user === undefined ? {} : { user: line.user }),
    ...(line.stdin === undefined ? {} : { stdin: line.stdin }),
  };
}

function lineNotes(line: ScheduleLine): string[] {
  const notes: string[] = [];
  if (isReboot(line))
    notes.push('@reboot: runs once, on one worker, when the fleet comes up after no scheduler has lived for 60 s');
  if (line.user !== undefined) notes.push(userNote(line.user));
  if (line.stdin !== undefined || /(?<!\\)%$/.test(line.text))
    notes.push(
      'the command ends at the first "%", what follows is its standard input, as in cron; a percent sign is \\%',
    );
  const bareStep = /(?:^|[ ,])(\d+\/\d+)/.exec(line.schedule)?.[1];
  if (bareStep)
    notes.push(
      `"${bareStep}" is read as "from ${bareStep.replace('/', ' on, every ')}th"; cron refuses it, or ignores the step`,
    );
  if (/^\d+[ \t]+\S+[ \t]/.test(line.command))
    notes.push('the command begins with a number: is this an anacrontab? cron would run it as it stands');
  return notes;
}

function userNote(user: string): string {
  if (user === 'root') return 'runs as root: needs a worker that runs as root, with ESCAPEMENT_ALLOW_ROOT_TASKS=true';
  return `runs as ${user}: needs a worker that runs as root, or as ${user}`;
}

type Checked = { ok: true; schedule: Schedule } | { ok: false; reason: string; code?: string };

function check(task: UnnamedTask): Checked {
  const admitted = taskDefinition.safeParse({ ...task, name: 'unnamed' });
  if (!admitted.success) {
    const [issue] = admitted.error.issues;
    return { ok: false, reason: `${issue?.path.join('.')}: ${issue?.message}` };
  }
  try {
    return { ok: true, schedule: parseSchedule(admitted.data.schedule) };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return { ok: false, reason: `${error.message}: ${error.allowed}`, code: error.code };
  }
}
