import { isDeepStrictEqual } from 'node:util';
import {
  compareFires,
  type FireChanges,
  type ParseOptions,
  parseSchedule,
  type ZoneDifference,
  type ZoneRules,
  zoneDifferences,
} from '@escapement/core/schedule';
import {
  type Database,
  listCalendars,
  type StoredCalendar,
  type TaskInZone,
  tasksInZone,
  type ZoneVersion,
  zoneVersions,
} from '@escapement/store';
import { taskOccurrences } from '../tasks/task-occurrences.ts';
import { changingZones, rulesIfKnown } from './keep-zones.ts';

/** What is written down of a zone that tasks go by. */
export interface ZoneReport {
  zone: string;
  /** Of the data by which its tasks are planned, and since when; null: no scheduler has written it down yet. */
  tzVersion: string | null;
  since: Date | null;
  /** Null: nothing has changed in that time, and nothing will. */
  change: ZoneChange | null;
}

export interface ZoneChange {
  /** `made`: schedulers went over to newer data, at `since`. `ahead`: this program has newer data than they. `behind`: older. */
  kind: 'made' | 'ahead' | 'behind';
  was: string;
  is: string;
  differences: ZoneDifference[];
  tasks: TaskChange[];
}

export interface TaskChange extends FireChanges {
  name: string;
}

export interface ZoneReportOptions {
  /** Of the time zone data of this process. */
  tzVersion: string;
  /** Changes that schedulers have made after it are told. */
  since: Date;
  /** Fires are compared in this time. */
  from: Date;
  to: Date;
  /** Fires of a task that are compared at most. */
  atMost: number;
}

const PAGE = 500;

/** For each zone that tasks go by: what changed, or will, and which fires are others by it. */
export async function zoneReport(db: Database, options: ZoneReportOptions): Promise<ZoneReport[]> {
  const versions = await zoneVersions(db, options.since);
  const stored = await listCalendars(db);
  const reports: ZoneReport[] = [];
  for (const zone of await changingZones(db)) {
    const own = versions.filter(({ name }) => name === zone);
    const inForce = own.find(({ endedAt }) => endedAt === null);
    const change = changeOf(own, inForce, options);
    reports.push({
      zone,
      tzVersion: inForce?.tzVersion ?? null,
      since: inForce?.effectiveAt ?? null,
      change: change && (await withTasks(db, { zone, ...change }, { ...options, stored })),
    });
  }
  return reports;
}

interface RulesChange extends Pick<ZoneChange, 'kind' | 'was' | 'is'> {
  rules: { was: ZoneRules; is: ZoneRules };
}

function changeOf(
  own: readonly ZoneVersion[],
  inForce: ZoneVersion | undefined,
  { tzVersion, since }: ZoneReportOptions,
): RulesChange | null {
  if (!inForce) return null;
  const here = rulesIfKnown(inForce.name);
  if (here && !isDeepStrictEqual(here, inForce.rules)) {
    const kind = tzVersion > inForce.tzVersion ? 'ahead' : 'behind';
    return { kind, was: inForce.tzVersion, is: tzVersion, rules: { was: inForce.rules, is: here } };
  }
  const before = own.findLast(({ endedAt }) => endedAt !== null && endedAt > since);
  if (!before) return null;
  return {
    kind: 'made',
    was: before.tzVersion,
    is: inForce.tzVersion,
    rules: { was: before.rules, is: inForce.rules },
  };
}

async function withTasks(
  db: Database,
  { zone, rules, ...change }: RulesChange & { zone: string },
  options: ZoneReportOptions & { stored: readonly StoredCalendar[] },
): Promise<ZoneChange> {
  const differences = zoneDifferences(rules.was, rules.is, options.from).filter(({ from }) => from < options.to);
  const tasks: TaskChange[] = [];
  if (differences.length === 0) return { ...change, differences, tasks };
  for (let after: string | null = null; ; ) {
    const page: TaskInZone[] = await tasksInZone(db, zone, { after, limit: PAGE });
    for (const task of page) {
      const changes = await changesOf(task, { zone, rules }, options);
      if (changes) tasks.push({ name: task.name, ...changes });
    }
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return { ...change, differences, tasks };
  }
}

/** Undefined: none of its fires is another one. */
async function changesOf(
  { name, schedule, calendars }: TaskInZone,
  { zone, rules }: { zone: string; rules: RulesChange['rules'] },
  { from, to, atMost, stored }: ZoneReportOptions & { stored: readonly StoredCalendar[] },
): Promise<FireChanges | undefined> {
  const by = (each: ZoneRules) => {
    const options: ParseOptions = { seed: name, zones: new Map([[zone, each]]) };
    return taskOccurrences(parseSchedule(schedule, options), calendars, stored);
  };
  const comparing = compareFires(by(rules.was), by(rules.is), { from, to, timeZone: zone, atMost });
  for (;;) {
    const step = comparing.next();
    if (step.done) return isChange(step.value) ? step.value : undefined;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function isChange({ added, removed, moved }: FireChanges): boolean {
  return added.count + removed.count + moved.count > 0;
}
