import { DAY } from '@escapement/core';
import { expectedFires, type InForce, type OccurrenceFinding } from '@escapement/core/verify-ledger';
import {
  type CountedRuns,
  calendarsInForce,
  countedRuns,
  type Database,
  type TaskToVerify,
  tasksToVerify,
} from '@escapement/store';
import { withCalendars } from './in-force.ts';
import { withZones, zonesInForce } from './zones-in-force.ts';

/** Runs beyond the end of a schedule that are named. */
const NAMED = 100;

export interface MaxRunsVerdict {
  /** What should have been in force: a schedule that was ended before it had all its runs goes on. */
  versions: InForce[];
  /** Versions that count from the end of a run and have had all their runs. */
  over: Set<number>;
  findings: OccurrenceFinding[];
}

interface Verified {
  task: TaskToVerify;
  versions: InForce[];
  window: { from: Date; to: Date };
  now: Date;
}

/** Whether a schedule that ends after so many runs had exactly those: counted in the ledger, not by the planner. */
export async function judgeMaxRuns(db: Database, verified: Verified): Promise<MaxRunsVerdict> {
  const { task, versions, window } = verified;
  const over = await versionsOver(db, verified);
  const last = versions.findLast(({ effectiveAt }) => effectiveAt < window.to);
  const maxRuns = last?.schedule.maxRuns;
  if (!last || maxRuns === undefined) return { versions, over, findings: [] };
  const counted = await countedRuns(db, { taskId: task.id, version: last.version, ...window, limit: NAMED });
  const findings = counted.surplus.map(({ id, scheduledFor, nth, maxRuns: most }) => ({
    kind: 'unexpected' as const,
    scheduledFor,
    runId: id,
    detail: `run ${nth} of a schedule that ends after ${most}`,
  }));
  const endedEarly = await wasEndedEarly(db, verified, { last, maxRuns, counted });
  return {
    versions: endedEarly ? versions.map((each) => (each === last ? { ...last, endedAt: null } : each)) : versions,
    over,
    findings,
  };
}

/** Of the versions that count from the end of a run, which have none any more. */
async function versionsOver(db: Database, { task, versions, window }: Verified): Promise<Set<number>> {
  const over = new Set<number>();
  for (const { version, schedule, effectiveAt, endedAt } of versions) {
    const { kind, maxRuns } = schedule;
    if (kind !== 'fixed-delay' || maxRuns === undefined || effectiveAt >= window.to || over.has(version)) continue;
    const to = endedAt && endedAt < window.to ? endedAt : window.to;
    const { runs } = await countedRuns(db, { taskId: task.id, version, from: window.from, to, limit: 0 });
    if (runs >= maxRuns) over.add(version);
  }
  return over;
}

interface End {
  last: InForce;
  maxRuns: number;
  counted: CountedRuns;
}

async function wasEndedEarly(db: Database, verified: Verified, { last, maxRuns, counted }: End): Promise<boolean> {
  const { task, window, now } = verified;
  const { endedAt } = last;
  const isKept = counted.since.getTime() > now.getTime() - task.retentionDays * DAY;
  if (!endedAt || endedAt > window.to || task.isDeleted || !counted.isLatest || !isKept) return false;
  if (counted.runs >= maxRuns) return false;
  // Rows that went missing were counted: as many may be missing as there are too few.
  const lifetime = { from: new Date(counted.since.getTime() - 1), to: endedAt };
  const [all] = await tasksToVerify(db, { ...lifetime, after: null, limit: 1, name: task.name });
  const zones = await zonesInForce(db, lifetime.from);
  const versions = withZones(withCalendars(all?.versions ?? [], await calendarsInForce(db, lifetime)), zones);
  const due = expectedFires({ name: task.name, versions, ...lifetime }).length;
  return due - counted.occurrences < maxRuns - counted.runs;
}
