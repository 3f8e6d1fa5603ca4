import { DAY, EscapementError, type Json, parseJson, type TaskInput } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { freeName } from '../translated/free-name.ts';
import { cannotSay, type Translated, type Translation, translate } from '../translated/translated.ts';
import { readJobOptions } from './job-options.ts';

/** A job scheduler of BullMQ as it stands in Redis, or one of the repeatable jobs that were before them. */
export interface StoredScheduler {
  /** The member of the sorted set `repeat`: the scheduler's id. */
  id: string;
  /** The hash of that id; null: an old repeatable job has none. */
  fields: { readonly [name: string]: string } | null;
  /** Of the job that waits for the next time, where there is one. */
  job: { data?: string | undefined; opts?: string | undefined };
}

export interface SchedulersGiven {
  queue: string;
  stored: readonly StoredScheduler[];
  /** Zone of patterns without one: that of the process that has added them. */
  timeZone: string;
  /** Before the name of each task. */
  prefix?: string | undefined;
  pool?: string | undefined;
}

/** What the job schedulers of a queue become. One that cannot be a task stops no other one. Pure. */
export function readSchedulers(given: SchedulersGiven): Translation {
  const notes = given.stored.length === 0 ? [`the queue ${given.queue} has no job scheduler`] : GENERAL_NOTES;
  const translation: Translation = { tasks: [], refused: [], notes: [...notes] };
  const names = new Set<string>();
  for (const stored of given.stored)
    translate(translation, `${given.queue}: ${stored.id}`, () => [taskOf(stored, given, names)]);
  return translation;
}

const GENERAL_NOTES = [
  'a run that falls due while the last one goes on is skipped, with a row in the ledger; BullMQ runs both',
  'a handler is code that workers have under the name of the job: defineTask with that name, without a schedule',
];

interface Fields {
  name: string;
  pattern?: string | undefined;
  every?: number | undefined;
  tz?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
  count: number;
  startDate?: string | undefined;
  endDate?: string | undefined;
  data?: string | undefined;
  opts?: string | undefined;
  /** Whether its id is a name that people gave. */
  named: boolean;
}

function taskOf(stored: StoredScheduler, given: SchedulersGiven, names: Set<string>): Translated {
  const fields = fieldsOf(stored);
  const notes: string[] = [];
  const options = readJobOptions(fields.opts ?? stored.job.opts);
  const data = fields.data ?? stored.job.data;
  if (data === undefined && !stored.fields)
    notes.push('an old repeatable job: what its jobs carry is not known; set payload');
  const payload = data === undefined ? undefined : jsonOf(data, 'data');
  const own = plainName(fields.named ? stored.id : fields.name);
  // The code of its jobs is a task as well, mostly of that very name; old repeatable jobs have the name of their jobs, which several may share.
  const name = freeName(`${given.prefix ?? ''}${plainName(given.queue)}/${own}`, names);
  const task: TaskInput = {
    name,
    schedule: scheduleOf(fields, given, notes),
    handler: { type: 'code', name: plainName(fields.name) },
    // Also where it is empty: what is said takes the place of what was said before.
    ...(payload === undefined ? {} : { payload }),
    ...options.said,
    ...(given.pool === undefined ? {} : { pool: given.pool }),
  };
  names.add(name);
  return { place: `${given.queue}: ${stored.id}`, task, atFirst: {}, paused: false, lost: options.lost, notes };
}

function fieldsOf({ id, fields }: StoredScheduler): Fields {
  if (!fields) return oldFields(id);
  return {
    name: fields.name ?? id,
    pattern: fields.pattern,
    every: numberOf(fields.every),
    tz: fields.tz,
    offset: numberOf(fields.offset),
    limit: numberOf(fields.limit),
    count: numberOf(fields.ic) ?? 1,
    startDate: fields.startDate,
    endDate: fields.endDate,
    data: fields.data,
    opts: fields.opts,
    // Repeatable jobs of BullMQ 5 have a hash for a key.
    named: fields.ic !== undefined || !/^[0-9a-f]{32}$/.test(id),
  };
}

/** `name:id:endDate:tz:pattern`, or `every` in the place of the pattern. */
function oldFields(id: string): Fields {
  const [name = '', , endDate, tz, ...rest] = id.split(':');
  const pattern = rest.join(':');
  if (name === '' || pattern === '')
    throw cannotSay(`"${id}" is no job scheduler and no repeatable job`, 'remove it from the queue, or add it anew');
  const every = /^\d+$/.test(pattern) ? Number(pattern) : undefined;
  return {
    ...{ name, every, count: 1, named: false },
    pattern: every === undefined ? pattern : undefined,
    tz: tz || undefined,
    endDate: endDate || undefined,
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

function scheduleOf(fields: Fields, { timeZone }: SchedulersGiven, notes: string[]): ScheduleSpec {
  const { pattern, every, tz, limit, count } = fields;
  const bounds = { ...boundOf('startAt', fields.startDate), ...boundOf('endAt', fields.endDate) };
  const left = limit === undefined ? {} : { maxRuns: limit - count + 1 };
  if (left.maxRuns !== undefined && left.maxRuns < 1)
    throw cannotSay(`it has had all its ${limit} runs`, 'leave it out');
  if (left.maxRuns !== undefined) notes.push(`limit: ${left.maxRuns} of ${limit} runs are left`);
  if (every !== undefined && pattern === undefined) return { ...everyOf(every, fields.offset), ...bounds, ...left };
  if (pattern === undefined) throw cannotSay('it has neither a pattern nor every', 'add it to the queue anew');
  if (tz === undefined) notes.push(`zone ${timeZone}, as it names none`);
  return { kind: 'cron', expression: pattern, timeZone: tz ?? timeZone, ...bounds, ...left };
}

function everyOf(everyMs: number, offset: number | undefined): ScheduleSpec {
  if (everyMs < 1000 || everyMs > 366 * DAY)
    throw cannotSay(`it comes every ${everyMs} ms`, 'an interval is 1 s to 366 days; let one run do several of them');
  const phaseMs = (((offset ?? 0) % everyMs) + everyMs) % everyMs;
  return { kind: 'every', everyMs, ...(phaseMs > 0 ? { phaseMs } : {}) };
}

/** BullMQ keeps what it was given: milliseconds, or text. */
function boundOf(name: 'startAt' | 'endAt', text: string | undefined): { startAt?: string; endAt?: string } {
  if (text === undefined || text === '') return {};
  const at = new Date(/^\d+$/.test(text) ? Number(text) : text.replace(/^"|"$/g, ''));
  if (Number.isNaN(at.getTime()))
    throw cannotSay(`its ${name === 'startAt' ? 'startDate' : 'endDate'} is "${text}"`, 'give a date');
  return { [name]: at.toISOString() };
}

export function jsonOf(text: string, what: string): Json {
  try {
    return parseJson(text, `its ${what}`) as Json;
  } catch (error) {
    if (error instanceof EscapementError) throw cannotSay(error.message, error.fix ?? '');
    throw cannotSay(`its ${what} is not JSON`, 'add it to the queue anew');
  }
}

function plainName(text: string): string {
  return text
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/[^A-Za-z0-9._:@/-]/g, '-')
    .slice(0, 150);
}
