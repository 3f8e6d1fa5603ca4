import { DAY, MINUTE } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { readEnvLine } from '../crontab/env-line.ts';
import { mailOf, type Settings, surroundingsOf } from '../crontab/settings.ts';
import { cannotSay, type Translated, type Translation, translate } from '../translated/translated.ts';

export interface AnacrontabGiven {
  text: string;
  /** Where it is, for places. */
  path: string;
  timeZone: string;
  /** Who runs the jobs: whoever starts anacron. */
  user: string;
  /** Before the name of each task. */
  prefix?: string | undefined;
  pool?: string | undefined;
}

/** Where START_HOURS_RANGE does not say it: Debian starts anacron from 07:30 on. */
const FIRST_HOUR = 7;

/** A Monday: periods of days are counted from it. */
const FIRST_DAY = '2024-01-01';

const LONGEST_JITTER_MS = DAY;
/** A job that is as late as that has long become due again. */
const CATCH_UP_MS = 366 * DAY;
const TIME_LIMIT_MS = DAY;

/**
 * What the jobs of an anacrontab (anacrontab(5)) become: a task for each, which is made up for once when the fleet was down. A line that
 * cannot be a task stops no other one. Pure.
 */
export function readAnacrontab(given: AnacrontabGiven): Translation {
  const translation: Translation = { tasks: [], refused: [], notes: [] };
  const env: Record<string, string> = {};
  const names = new Set<string>();
  for (const [index, line] of given.text.split(/\r?\n/).entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const setting = readEnvLine(content);
    if (setting) env[setting.name] = setting.value;
    const place = `${given.path}:${index + 1}`;
    if (!setting) translate(translation, place, () => [taskOf(content, given, { place, env: { ...env }, names })]);
  }
  if (translation.tasks.length > 0 && env.START_HOURS_RANGE === undefined)
    translation.notes.push(
      `no START_HOURS_RANGE: days begin at ${FIRST_HOUR}:00, as Debian starts anacron from then on; the delays of the jobs are added`,
    );
  return translation;
}

interface Line {
  place: string;
  /** Above the line. */
  env: Settings;
  /** Of jobs above the line. */
  names: Set<string>;
}

function taskOf(content: string, given: AnacrontabGiven, { place, env, names }: Line): Translated {
  const [, period = '', delay = '', id = '', command = ''] = /^(\S+)\s+(\S+)\s+(\S+)\s+(.+)$/s.exec(content) ?? [];
  if (command === '')
    throw cannotSay(
      `"${content.slice(0, 100)}" is no job`,
      'a line needs a period in days, a delay in minutes, a name and a command',
    );
  if (names.has(id)) throw cannotSay(`the name ${id} stands above already`, 'anacron runs one of them only; rename it');
  names.add(id);
  const { schedule, lost } = timesOf({ period, delay, env, timeZone: given.timeZone });
  const mail = mailOf(env);
  return {
    place,
    task: {
      name: `${given.prefix ?? ''}${id.replace(/[^A-Za-z0-9._:@/-]/g, '-')}`,
      schedule,
      catchUp: { policy: 'latest', withinMs: CATCH_UP_MS },
      handler: { type: 'shell', command, ...surroundingsOf(env), user: given.user },
      ...(mail.notify === undefined ? {} : { notify: mail.notify }),
      ...(given.pool === undefined ? {} : { pool: given.pool }),
    },
    atFirst: { timeoutMs: TIME_LIMIT_MS },
    paused: false,
    lost: [...lost, ...mail.notes],
    notes: [],
  };
}

interface Times {
  period: string;
  delay: string;
  env: Settings;
  timeZone: string;
}

/** When a job is due, by the earliest time at which anacron would start it on a host that is always up. */
function timesOf({ period, delay, env, timeZone }: Times): { schedule: ScheduleSpec; lost: string[] } {
  const minutes = wholeNumber(delay, { what: 'the delay', max: 24 * 60, unit: 'minutes' });
  const range = rangeOf(env.START_HOURS_RANGE);
  const after = (range?.from ?? FIRST_HOUR) * 60 + minutes;
  const [hour, minute] = [Math.floor(after / 60) % 24, after % 60];
  const lost: string[] = [];
  if (range !== undefined && range.to < 24)
    lost.push(`START_HOURS_RANGE: what is made up for after an outage may start after ${range.to}:00, too`);
  if (env.PREFERRED_HOUR !== undefined) lost.push('PREFERRED_HOUR: give the schedule another hour, if it matters');
  const jitterMs = randomDelayOf(env.RANDOM_DELAY);
  const more = jitterMs === 0 ? {} : { jitterMs };
  return { schedule: { ...scheduleOf(period, { hour, minute, timeZone }), ...more }, lost };
}

function scheduleOf(period: string, at: { hour: number; minute: number; timeZone: string }): ScheduleSpec {
  const { hour, minute, timeZone } = at;
  const named = NAMED[period.toLowerCase()];
  if (period.startsWith('@') && named === undefined)
    throw cannotSay(`"${period}" is no period`, `give days, or one of ${Object.keys(NAMED).join(', ')}`);
  const days = named ?? wholeNumber(period, { what: 'the period', max: 366, unit: 'days' });
  const cron = (expression: string): ScheduleSpec => ({ kind: 'cron', expression, dialect: 'vixie', timeZone });
  if (days === 'month') return cron(`${minute} ${hour} 1 * *`);
  if (days === 'year') return cron(`${minute} ${hour} 1 1 *`);
  if (days <= 1) return cron(`${minute} ${hour} * * *`);
  const time = [hour, minute].map((each) => String(each).padStart(2, '0')).join(':');
  return { kind: 'rrule', rule: `FREQ=DAILY;INTERVAL=${days}`, dtStart: `${FIRST_DAY}T${time}:00`, timeZone };
}

const NAMED: Readonly<Record<string, number | 'month' | 'year'>> = {
  '@daily': 1,
  '@weekly': 7,
  '@monthly': 'month',
  '@yearly': 'year',
  '@annually': 'year',
};

/** `3-22`: jobs start from 3:00 on, and not after 22:00. */
function rangeOf(text: string | undefined): { from: number; to: number } | undefined {
  if (text === undefined) return undefined;
  const [, from = '', to = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text.trim()) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (from !== '' && range.from < range.to && range.to <= 24) return range;
  throw cannotSay(`START_HOURS_RANGE is "${text}"`, 'give two hours of a day, as in 3-22');
}

function randomDelayOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = wholeNumber(text.trim(), { what: 'RANDOM_DELAY', max: 24 * 60, unit: 'minutes' }) * MINUTE;
  return Math.min(ms, LONGEST_JITTER_MS);
}

function wholeNumber(text: string, { what, max, unit }: { what: string; max: number; unit: string }): number {
  if (/^\d{1,6}$/.test(text) && Number(text) <= max) return Number(text);
  throw cannotSay(`${what} is "${text}"`, `give ${unit} as a whole number up to ${max}`);
}
