import { setImmediate as nextTurn } from 'node:timers/promises';
import { EscapementError, type Json, keyOn, nearest, OVERLAP_RULES, renderKey } from '@escapement/core';
import { type Forecast, type ForecastTask, forecast } from '@escapement/core/forecast';
import type { Pause } from '@escapement/core/plan';
import {
  type CalendarSpec,
  type ClockChange,
  parseSchedule,
  type Schedule,
  type ScheduleSpec,
  zoneChanges,
} from '@escapement/core/schedule';
import {
  type Database,
  type ForecastFilter,
  listCalendars,
  type PauseAhead,
  pausesAhead,
  poolCapacity,
  type TaskToForecast,
  tasksToForecast,
} from '@escapement/store';
import { requirePool } from '../pools.ts';
import { taskOccurrences } from '../tasks/task-occurrences.ts';

export interface ForecastAsked extends ForecastFilter {
  /** `to` is not in it. */
  from: Date;
  to: Date;
  /** Where each piece of the time begins, from `from` on. */
  pieces: readonly Date[];
  /** Only of tasks whose runs have this key. */
  key?: string | undefined;
  /** How long a worker is believed to be alive after its last heartbeat: the lease time of the fleet. Milliseconds. */
  deadMs: number;
}

export interface FleetForecast extends Forecast {
  from: Date;
  to: Date;
  /** Runs with the key that was asked for that may be at work at once; null: none was, or its tasks take no slot. */
  keyLimit: number | null;
  /** Changes in that time of the clocks by which schedules go. */
  clockChanges: ClockChange[];
  /** Tasks that cannot be planned: a zone or a calendar is not known any more. */
  unplannable: string[];
}

/** Each worker of a task that runs on all of them has a key of its own; one stands for all. */
const EACH_WORKER = '*';

/** What the schedules of the tasks in force will start, and what will be at work at once. Throws `forecast_too_large`, `unknown_pool`, `unknown_key`. */
export async function readForecast(db: Database, asked: ForecastAsked): Promise<FleetForecast> {
  const { from, to } = asked;
  if (asked.pool !== undefined) await requirePool(db, asked.pool);
  const [{ tasks, unplannable }, capacity] = await Promise.all([readForecastTasks(db, asked), poolCapacity(db, asked)]);
  const steps = forecast(tasks, { from, to, pieces: asked.pieces.map((at) => at.getTime()), capacity });
  for (;;) {
    const step = steps.next();
    if (step.done) {
      const keyLimit = asked.key === undefined ? null : limitOf(tasks);
      return { ...step.value, from, to, keyLimit, clockChanges: changesOf(tasks, { from, to }), unplannable };
    }
    await nextTurn();
  }
}

/** The tasks in force, as a forecast has to know them, and the names of those that cannot be planned. */
export async function readForecastTasks(
  db: Database,
  { key, ...filter }: ForecastFilter & Pick<ForecastAsked, 'key'>,
): Promise<{ tasks: ForecastTask[]; unplannable: string[] }> {
  const [stored, calendars, pauses] = await Promise.all([
    tasksToForecast(db, filter),
    listCalendars(db),
    pausesAhead(db),
  ]);
  const unplannable: string[] = [];
  const scheduleOf = createSchedules();
  const pausesOf = pausesBy(pauses);
  const tasks = stored.flatMap((each) => {
    try {
      return toForecast(each, { schedule: scheduleOf(each), calendars, pauses: pausesOf(each.id) });
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      unplannable.push(each.name);
      return [];
    }
  });
  return { tasks: key === undefined ? tasks : ofKey(tasks, key), unplannable };
}

/** Throws `unknown_key` with the nearest: a key that depends on the payload of a trigger is not known beforehand. */
function ofKey(tasks: readonly ForecastTask[], key: string): ForecastTask[] {
  const found = tasks.filter((task) => task.key === key);
  if (found.length > 0) return found;
  const near = nearest(key, new Set(tasks.map((task) => task.key)));
  throw new EscapementError('unknown_key', `no task that is due by a schedule has the key "${key}"`, {
    fix: near ? `did you mean ${near}?` : 'a task without a key has its name as its key, see `escapement tasks list`',
  });
}

/** Of the tasks of a key: the least of theirs, as a run sees it. On each worker of a task that runs on every worker there are as many. */
function limitOf(tasks: readonly ForecastTask[]): number | null {
  const limits = tasks
    .filter(({ overlap }) => OVERLAP_RULES[overlap.policy].takesSlot)
    .map(({ limit, each }) => limit * each);
  return limits.length === 0 ? null : Math.min(...limits);
}

type Calendars = readonly { name: string; definition: CalendarSpec }[];

function toForecast(
  task: TaskToForecast,
  { schedule, calendars, pauses }: { schedule: Schedule; calendars: Calendars; pauses: readonly Pause[] },
): ForecastTask {
  const { name, limit, overlap, pool, workers, nextRunAt, p50Ms, p95Ms, plannedRuns, calendars: use } = task;
  const { maxRuns } = schedule.spec;
  const key = keyOf(task.keyTemplate, task.payload);
  return {
    name,
    schedule,
    limit,
    overlap,
    pool,
    pauses,
    nextRunAt,
    calendars: use ? JSON.stringify(use) : '',
    occurrences: () => taskOccurrences(schedule, use ?? undefined, calendars),
    remaining: maxRuns === undefined ? undefined : Math.max(0, maxRuns - plannedRuns),
    each: workers ?? 1,
    key: workers === null ? key : keyOn(key, EACH_WORKER),
    took: p50Ms === null || p95Ms === null ? null : { p50Ms, p95Ms },
  };
}

/** Each text is read once, but for those with an H, which is for each task another time. */
function createSchedules(): (task: Pick<TaskToForecast, 'name' | 'schedule'>) => Schedule {
  const known = new Map<string, Schedule>();
  return ({ name, schedule: text }) => {
    const found = known.get(text);
    if (found) return found;
    const spec: ScheduleSpec = JSON.parse(text);
    const schedule = parseSchedule(spec, { seed: name });
    if (spec.kind !== 'cron' || !/h/i.test(spec.expression)) known.set(text, schedule);
    return schedule;
  };
}

/** A template that its payload does not fill fails when a run is made; here it stands for itself. */
function keyOf(template: string, payload: Json | null): string {
  try {
    return template.includes('{{') ? renderKey(template, payload ?? undefined) : template;
  } catch {
    return template;
  }
}

function pausesBy(pauses: readonly PauseAhead[]): (taskId: string) => readonly Pause[] {
  const toPause = ({ fromAt, untilAt }: PauseAhead): Pause => ({ fromAt, untilAt, note: null });
  const ofAll = pauses.filter(({ taskId }) => taskId === null).map(toPause);
  const byTask = new Map<string, Pause[]>();
  for (const each of pauses)
    if (each.taskId !== null) byTask.set(each.taskId, [...(byTask.get(each.taskId) ?? ofAll), toPause(each)]);
  return (taskId) => byTask.get(taskId) ?? ofAll;
}

function changesOf(tasks: readonly ForecastTask[], span: { from: Date; to: Date }): ClockChange[] {
  const zones = new Set(tasks.flatMap(({ schedule: { spec } }) => ('timeZone' in spec ? spec.timeZone : [])));
  return [...zones].flatMap((zone) => zoneChanges(zone, span)).sort((a, b) => a.at.getTime() - b.at.getTime());
}
