import { isDeepStrictEqual } from 'node:util';
import { DAY, MINUTE } from '@escapement/core';
import {
  type Occurrences,
  parseSchedule,
  type ZoneRules,
  zoneDifferences,
  zoneRulesOf,
} from '@escapement/core/schedule';
import {
  confirmZoneVersion,
  type Database,
  findTask,
  listCalendars,
  pingDatabase,
  replanTask,
  type StoredCalendar,
  saveZoneVersion,
  type TaskInZone,
  tasksInZone,
  type ZoneVersion,
  zonesInUse,
  zoneVersions,
} from '@escapement/store';
import { planBeforeEdit } from '../tasks/plan-before-edit.ts';
import { taskOccurrences } from '../tasks/task-occurrences.ts';

/** What is written down of a zone: enough for whatever is kept, and whatever is planned. */
const SPAN = { from: new Date('2000-01-01T00:00:00Z'), to: new Date('2050-01-01T00:00:00Z') };
/** For so long after a change tasks are looked through: a process with older data may have planned or saved some meanwhile. */
const LOOKED_THROUGH_MS = 7 * DAY;
/** A clock that differs moves no fire by more. */
const REACH_MS = 2 * DAY;
/** The same for a fire that calendars lead to another day. */
const CALENDAR_REACH_MS = 100 * DAY;
/** The longest horizon there may be (`ESCAPEMENT_HORIZON_MS`). */
const MOST_AHEAD_MS = 5 * MINUTE;
const PAGE = 500;
/** Times a task that somebody else changes meanwhile is read again. */
const MAX_RACES = 5;

export interface ZoneKeeping {
  /** Of the time zone data that `rulesOf` reads. */
  tzVersion: string;
  /** What is known of a zone here. Default: what this process knows. Throws `ScheduleError` for a zone that it does not know. */
  rulesOf?: (name: string) => ZoneRules;
}

/** A zone whose rules have changed, and what became of the tasks. */
export interface ZoneChanged {
  zone: string;
  tzVersion: string;
  /** Tasks that are planned anew. */
  replanned: string[];
}

/** What this process knows of a zone, as it is written down. Throws `ScheduleError`. */
export function knownRules(name: string): ZoneRules {
  return zoneRulesOf(name, SPAN);
}

/**
 * Writes down what is known of the zones that tasks go by, and has those tasks planned anew whose next occurrence is another one by newer data
 * than they were planned with. Any number of processes may do it; the newest data counts.
 */
export async function keepZones(
  db: Database,
  { tzVersion, rulesOf = knownRules }: ZoneKeeping,
): Promise<ZoneChanged[]> {
  const { now } = await pingDatabase(db);
  const recent = await zoneVersions(db, new Date(now.getTime() - LOOKED_THROUGH_MS));
  const changed: ZoneChanged[] = [];
  for (const zone of await changingZones(db)) {
    const rules = rulesIfKnown(zone, rulesOf);
    if (!rules) continue;
    const before = await writeDown(db, { zone, rules, tzVersion }, recent);
    if (!before) continue;
    const replanned = await replan(db, { zone, was: before.rules, is: rules, now });
    if (replanned.length > 0 || before.isNew) changed.push({ zone, tzVersion, replanned });
  }
  return changed;
}

/** UTC, and what is a fixed time from it: no government can change these. */
const CONSTANT = /^(utc|gmt|uct|zulu|greenwich|universal|etc\/.*)$/i;

/** The zones by which tasks are due, but those whose clock cannot change. */
export async function changingZones(db: Database): Promise<string[]> {
  return (await zonesInUse(db)).filter((zone) => !CONSTANT.test(zone));
}

/** Undefined: the zone is newer than the data of this process, or the name of none. */
export function rulesIfKnown(zone: string, rulesOf: (name: string) => ZoneRules = knownRules): ZoneRules | undefined {
  try {
    return rulesOf(zone);
  } catch {
    return undefined;
  }
}

interface Known {
  zone: string;
  rules: ZoneRules;
  tzVersion: string;
}

/** The rules by which tasks may still be planned. Undefined: those that are known here, or newer ones. */
async function writeDown(
  db: Database,
  { zone: name, rules, tzVersion }: Known,
  recent: readonly ZoneVersion[],
): Promise<{ rules: ZoneRules; isNew: boolean } | undefined> {
  const versions = recent.filter((each) => each.name === name);
  const inForce = versions.find(({ endedAt }) => endedAt === null);
  if (!inForce) {
    await saveZoneVersion(db, { name, rules, tzVersion, expectedVersion: null });
    return undefined;
  }
  if (isDeepStrictEqual(inForce.rules, rules)) {
    if (inForce.tzVersion < tzVersion) await confirmZoneVersion(db, { ...inForce, tzVersion });
    const before = versions.findLast(({ endedAt }) => endedAt !== null);
    return before && { rules: before.rules, isNew: false };
  }
  if (inForce.tzVersion >= tzVersion) return undefined;
  const isNew = await saveZoneVersion(db, { name, rules, tzVersion, expectedVersion: inForce.version });
  return { rules: inForce.rules, isNew };
}

interface Change {
  zone: string;
  was: ZoneRules;
  is: ZoneRules;
  now: Date;
}

/** The names of tasks whose next occurrence is another one now. */
async function replan(db: Database, change: Change): Promise<string[]> {
  const { zone, was, is, now } = change;
  const [first] = zoneDifferences(was, is, new Date(now.getTime() - CALENDAR_REACH_MS));
  if (!first) return [];
  const asked = { ...change, stored: await listCalendars(db) };
  const dueFrom = {
    without: new Date(first.from.getTime() - REACH_MS),
    withCalendars: new Date(first.from.getTime() - CALENDAR_REACH_MS),
  };
  const replanned: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: TaskInZone[] = await tasksInZone(db, zone, { dueFrom, after, limit: PAGE });
    for (const task of page) {
      if (rightNext(task, asked) === 'planned') continue;
      if (await planAnew(db, task.name, asked)) replanned.push(task.name);
    }
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return replanned;
  }
}

interface Replan extends Change {
  stored: readonly StoredCalendar[];
}

/** True: its next occurrence is another one. A task that keeps changing is looked at again with the next pass. */
async function planAnew(db: Database, name: string, asked: Replan): Promise<boolean> {
  for (let race = 0; race < MAX_RACES; race++) {
    const outcome = await tryToPlanAnew(db, name, asked);
    if (outcome !== 'changed') return outcome === 'moved';
  }
  return false;
}

async function tryToPlanAnew(db: Database, name: string, asked: Replan): Promise<'moved' | 'right' | 'changed'> {
  const task = await findTask(db, name);
  if (!task?.nextRunAt) return 'right';
  const { nextRunAt, effectiveAt, definition } = task;
  const { schedule, calendars } = definition;
  const nextRun = rightNext({ name, schedule, calendars, nextRunAt, effectiveAt }, asked);
  if (nextRun === 'planned') return 'right';
  const { now, stored } = asked;
  if (await planBeforeEdit(db, task, { now, from: now }, stored)) return 'changed';
  return (await replanTask(db, task, { nextRunAt: nextRun, from: now })) ? 'moved' : 'changed';
}

/** The next occurrence of a task by the rules of now; `planned`: the one that it has. */
function rightNext(
  { name, schedule, calendars, nextRunAt, effectiveAt }: Omit<TaskInZone, 'id'>,
  { zone, was, is, now, stored }: Replan,
): Date | null | 'planned' {
  if (schedule.kind === 'fixed-delay') return 'planned';
  const by = (rules: ZoneRules) => {
    const parsed = parseSchedule(schedule, { seed: name, zones: new Map([[zone, rules]]) });
    return taskOccurrences(parsed, calendars, stored);
  };
  const known = by(is);
  const from = new Date(Math.max(now.getTime(), effectiveAt.getTime()) - 1);
  return isPlannedRight({ known, before: by(was) }, nextRunAt, from) ? 'planned' : known.next(from);
}

/**
 * Whether an occurrence is the next one that is not planned yet. Rows are made ahead for what is due soon: what comes before it is there, if
 * it was due by the rules of before as well.
 */
function isPlannedRight(
  { known, before }: { known: Occurrences; before: Occurrences },
  nextRunAt: Date,
  from: Date,
): boolean {
  const soon = from.getTime() + MOST_AHEAD_MS;
  for (let at = from; ; ) {
    const next = known.next(at);
    if (next?.getTime() === nextRunAt.getTime()) return true;
    if (!next || next > nextRunAt || next.getTime() > soon) return false;
    if (before.next(at)?.getTime() !== next.getTime()) return false;
    at = next;
  }
}
