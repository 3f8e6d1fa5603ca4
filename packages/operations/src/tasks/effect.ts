import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DAY, formatSpan, handlerFacts, nearestInstant, type TaskDefinition } from '@escapement/core';
import {
  type ClockChange,
  clockChangesAhead,
  compareFires,
  type FireChanges,
  firesBetween,
  lintSchedule,
  nextFire,
  type Occurrences,
  parseSchedule,
  type Schedule,
  type ScheduleLint,
  type ScheduleSpec,
} from '@escapement/core/schedule';
import { type Database, listCalendars, type Task, taskStats, tasksInMinute } from '@escapement/store';
import { firstRun } from './first-run.ts';
import { occurrencesInForce, readOccurrences } from './task-occurrences.ts';

/** So many other tasks in one minute are worth a word. */
const CROWD = 200;
/** Fires between which the shortest distance is looked for. */
const LOOKED_AT = 200;
const STATS_DAYS = 30;
const CLOCK_CHANGES = 2;

export interface EffectLint {
  code: ScheduleLint['code'] | 'outlasts' | 'crowded' | 'http_without_retry' | 'working_days_ignore_calendars';
  message: string;
  fix?: string;
}

/** What saving a definition would change, before it does. */
export interface TaskEffect {
  name: string;
  action: 'create' | 'update' | 'unchanged' | 'delete';
  /** Top-level parts of the definition that differ. */
  changed: string[];
  fires: FireChanges;
  /** The first fire of the new schedule, as the save will have it; null: there is none, or it cannot be known. */
  next: Date | null;
  /**
   * Stands for what the new fires follow from: the schedule, and its calendars as they are. The same as long as these stay so, whatever time it
   * is. Null: the task is deleted.
   */
  basis: string | null;
  /** It has passed already: it runs as soon as the task is saved. */
  passed: Date | null;
  /** Of the days in which fires move: the schedule's own, if it has one. */
  timeZone: string;
  /** Of the new schedule; of a deleted task, the one it had. */
  schedule: ScheduleSpec['kind'];
  /** The next changes of the clock by which the new schedule goes, at most two; undefined: it goes by none. */
  clockChanges?: ClockChange[] | undefined;
  lints: EffectLint[];
}

export interface EffectQuestion {
  /** From when on the change counts. */
  from: Date;
  /** Fires are compared for so many days. */
  days: number;
  /** Of days in which fires move. */
  timeZone: string;
}

/** What becomes of a task with a definition; undefined: it is deleted. Reads only. */
export async function effectOf(
  db: Database,
  change: { task: Task | null; definition: TaskDefinition | undefined },
  question: EffectQuestion,
): Promise<TaskEffect> {
  const { task, definition } = change;
  const was = task?.definition;
  const [before, after] = await Promise.all([
    was && occurrencesInForce(db, was),
    definition && readOccurrences(db, definition),
  ]);
  const schedule = definition && parseSchedule(definition.schedule, { seed: definition.name });
  // Of seven days, each second is due 604,800 times, not once more.
  const to = nearestInstant(question.from.getTime() + question.days * DAY - 1);
  const timeZone = zoneOf(definition ?? was, question);
  const lints = schedule ? lintSchedule(schedule, question.from) : [];
  const first = after && definition ? firstFire(after, definition, { from: question.from, isNew: !task }) : null;
  const passed = first && first < question.from ? first : null;
  return {
    name: definition?.name ?? task?.name ?? '',
    action: actionOf(was, definition),
    changed: was && definition ? changedParts(was, definition) : [],
    fires: await inTurns(compareFires(before, after, { from: question.from, to, timeZone })),
    next: first,
    basis: definition ? await basisOf(db, definition) : null,
    passed,
    timeZone,
    schedule: (definition ?? was)?.schedule.kind ?? 'manual',
    clockChanges: schedule && clockChangesAhead(schedule, question.from, CLOCK_CHANGES),
    lints: [
      // What has passed runs at once: that it does not fire later is no warning.
      ...lints.filter(({ at, code }) => at === undefined && !(passed && code === 'never_again')),
      ...(definition ? [...lintRetry(definition), ...lintWorkingDays(definition, schedule)] : []),
      ...(schedule && definition ? await fleetLints(db, definition, schedule, question.from) : []),
    ],
  };
}

async function basisOf(db: Database, { name, schedule, calendars }: TaskDefinition): Promise<string> {
  const stored = calendars ? await listCalendars(db, calendars.exclude) : [];
  const fires = [name, schedule, calendars, stored.map((each) => [each.name, each.definition])];
  return createHash('sha256').update(JSON.stringify(fires)).digest('base64url').slice(0, 22);
}

/** A dense schedule has a million fires to compare: heartbeats and the like go on meanwhile. */
async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

/** Occurrences that calendars leave out are looked over up to so many. */
const MAX_LEFT_OUT = 1000;

function firstFire(
  occurrences: Occurrences,
  definition: TaskDefinition,
  saved: { from: Date; isNew: boolean },
): Date | null {
  const { next, excluded } = occurrences;
  let at = firstRun(definition, occurrences, saved);
  for (let looked = 0; at && excluded(at) !== null && looked < MAX_LEFT_OUT; looked++) at = next(at);
  return at;
}

function zoneOf(definition: TaskDefinition | undefined, { timeZone }: EffectQuestion): string {
  return definition && 'timeZone' in definition.schedule ? definition.schedule.timeZone : timeZone;
}

function actionOf(was: TaskDefinition | undefined, is: TaskDefinition | undefined): TaskEffect['action'] {
  if (!is) return 'delete';
  if (!was) return 'create';
  return isDeepStrictEqual(was, is) ? 'unchanged' : 'update';
}

function changedParts(was: TaskDefinition, is: TaskDefinition): string[] {
  const before = new Map<string, unknown>(Object.entries(was));
  const after = new Map<string, unknown>(Object.entries(is));
  const parts = new Set([...before.keys(), ...after.keys()]);
  return [...parts].filter((part) => !isDeepStrictEqual(before.get(part), after.get(part))).sort();
}

/** Requests fail now and then for reasons of the network. At-most-once says that nothing is to be tried again. */
function lintRetry({ handler, retry, delivery }: TaskDefinition): EffectLint[] {
  if (handlerFacts(handler).url === null || retry.maxAttempts > 1 || delivery === 'at-most-once') return [];
  return [
    {
      code: 'http_without_retry',
      message: 'a request that meets a broken connection or an answer such as 503 is not tried again',
      fix: 'retry: { maxAttempts: 3 } tries it again; each attempt has the same Idempotency-Key',
    },
  ];
}

/** Those of an expression are Monday to Friday, also the holidays among them. */
function lintWorkingDays({ calendars }: TaskDefinition, schedule: Schedule | undefined): EffectLint[] {
  if (!calendars || schedule?.kind !== 'cron') return [];
  const counts = (schedule.spec.workingDayOffset ?? 0) !== 0;
  const nearest = schedule.pattern.day.specialMonthDays.some(
    (day) => day.kind === 'nearest' || (day.kind === 'last' && day.onWeekday),
  );
  if (!counts && !nearest) return [];
  return [
    {
      code: 'working_days_ignore_calendars',
      message: `${counts ? 'workingDayOffset of the schedule' : 'W in the day of month'} takes Monday to Friday for working days, also where a calendar excludes them`,
      fix: "L or the day itself, with calendars: { exclude: [...], shift: 'previous' or 'next', workingDayOffset }",
    },
  ];
}

/** What only the ledger and the other tasks can tell. */
async function fleetLints(
  db: Database,
  { name }: TaskDefinition,
  schedule: Schedule,
  from: Date,
): Promise<EffectLint[]> {
  const first = nextFire(schedule, from);
  if (!first) return [];
  const [others, [stats]] = await Promise.all([
    tasksInMinute(db, first, name),
    taskStats(db, { name, since: new Date(from.getTime() - STATS_DAYS * DAY) }),
  ]);
  return [...lintSharedMinute(others, first), ...lintDuration(stats?.p95Ms ?? null, shortestGap(schedule, from))];
}

function lintSharedMinute(others: number, first: Date): EffectLint[] {
  if (others < CROWD) return [];
  const minute = first.toISOString().slice(0, 16);
  return [
    {
      code: 'crowded',
      message: `${others} other tasks start in the same minute, ${minute}Z`,
      fix: 'spread it: H instead of a fixed minute, or jitterMs',
    },
  ];
}

function lintDuration(p95Ms: number | null, gapMs: number): EffectLint[] {
  if (p95Ms === null || p95Ms <= gapMs) return [];
  return [
    {
      code: 'outlasts',
      message: `its runs take longer than the time between two of them: 95 % end within ${formatSpan(p95Ms)}, it fires every ${formatSpan(gapMs)}`,
      fix: 'docs/reference/tasks.md, section "When runs overlap", says what happens to runs whose key is busy',
    },
  ];
}

/** Shortest distance between its next fires; a delay counts from the end and never overlaps. */
function shortestGap(schedule: Schedule, from: Date): number {
  if (schedule.kind === 'fixed-delay') return Number.POSITIVE_INFINITY;
  const fires = firesBetween(schedule, from, nearestInstant(from.getTime() + 366 * DAY), LOOKED_AT);
  return fires.reduce((least, at, index) => {
    const before = fires[index - 1];
    return before ? Math.min(least, at.getTime() - before.getTime()) : least;
  }, Number.POSITIVE_INFINITY);
}
