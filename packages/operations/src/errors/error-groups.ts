import { type By, type ErrorGroup, EscapementError, errorGroupOf, HOUR, type LabelFilter } from '@escapement/core';
import {
  changeErrorStand,
  type Database,
  type ErrorChange,
  type ErrorStand,
  errorStands,
  type FailedRun,
  listFailures,
} from '@escapement/store';
import { permitInNamespace } from '../rights/permit.ts';
import { checkEnd } from '../tasks/pause-task.ts';

/** Failures that are looked at, the latest first. */
export const MOST_FAILURES = 20_000;
/** Tasks of a group that are named. */
const NAMED = 10;

/** Failures that are taken for the same. */
export interface FailureGroup extends ErrorGroup {
  count: number;
  /** When the first and the last of those that were looked at ended. */
  firstAt: Date;
  lastAt: Date;
  lastRunId: string;
  /** The tasks that have failed most, and how often; at most ten. */
  tasks: { name: string; count: number }[];
  taskCount: number;
  /** Failures by the hour in which they ended, the first hour first, without those that had none. */
  hours: { at: Date; count: number }[];
  /** `back`: it was resolved, and has failed since. */
  state: 'open' | 'resolved' | 'muted' | 'back';
  /** What a person has said of it last; null: nothing. */
  stand: Omit<ErrorStand, 'fingerprint'> | null;
}

export interface FailuresAsked {
  /** Runs scheduled then or later. */
  since: Date;
  until?: Date | undefined;
  task?: string | undefined;
  labels?: LabelFilter | undefined;
}

/** Failures for good, by what they have in common; those that fail most first. `lookedBackTo`: not further; null: all of the time. */
export async function failureGroups(
  db: Database,
  asked: FailuresAsked,
  now: Date,
): Promise<{ groups: FailureGroup[]; lookedBackTo: Date | null }> {
  const failures = await failuresOf(db, asked);
  const gathered = gather(failures);
  const stands = await errorStands(db, [...gathered.keys()]);
  const groups = [...gathered].map(([fingerprint, runs]) => groupOf(runs, stands.get(fingerprint) ?? null, now));
  const oldest = failures.at(-1);
  return {
    groups: groups.toSorted((one, other) => other.count - one.count || other.lastAt.getTime() - one.lastAt.getTime()),
    lookedBackTo: failures.length === MOST_FAILURES && oldest ? oldest.finishedAt : null,
  };
}

/** The runs of a group, the latest first. */
export async function runsOfGroup(db: Database, fingerprint: string, asked: FailuresAsked): Promise<FailedRun[]> {
  const runs = gather(await failuresOf(db, asked)).get(fingerprint) ?? [];
  return runs.map(({ run }) => run);
}

/** No run has failed like that. */
export function unknownError(fingerprint: string): EscapementError {
  return new EscapementError('unknown_error', `no run has failed with ${fingerprint.slice(0, 40)} in that time`, {
    fix: 'look at an earlier time, or see `escapement errors list`',
  });
}

/** Says what is to be thought of a group: it is resolved, muted until an instant, or open again. Throws `not_allowed`, `bad_instant`. */
export async function changeErrorGroup(
  db: Database,
  fingerprint: string,
  { change, by }: { change: ErrorChange; by: By },
): Promise<void> {
  const act = { action: change.kind, subject: { error: fingerprint } };
  await permitInNamespace(db, by, 'retry', { ...act, what: `the error ${fingerprint.slice(0, 40)}` });
  checkFingerprint(fingerprint);
  if (change.kind === 'mute') await checkEnd(db, change.untilAt);
  await changeErrorStand(db, fingerprint, { change, by });
}

function failuresOf(db: Database, { since, until, task, labels }: FailuresAsked): Promise<FailedRun[]> {
  return listFailures(db, {
    ...{ since, limit: MOST_FAILURES },
    ...(until ? { until } : {}),
    ...(task === undefined ? {} : { taskName: task }),
    ...(labels ? { labels } : {}),
  });
}

interface Grouped {
  run: FailedRun;
  group: ErrorGroup;
}

/** By fingerprint; in each group the latest first. */
function gather(failures: readonly FailedRun[]): Map<string, Grouped[]> {
  const groups = new Map<string, Grouped[]>();
  for (const run of failures) {
    const group = errorGroupOf(run);
    const runs = groups.get(group.fingerprint);
    if (runs) runs.push({ run, group });
    else groups.set(group.fingerprint, [{ run, group }]);
  }
  return groups;
}

function groupOf(runs: readonly Grouped[], stand: ErrorStand | null, now: Date): FailureGroup {
  const [latest] = runs;
  if (!latest) throw new Error('a group has runs');
  const ends = runs.map(({ run }) => run.finishedAt.getTime());
  const lastAt = new Date(Math.max(...ends));
  const tasks = countBy(runs.map(({ run }) => run.taskName)).map(([name, count]) => ({ name, count }));
  const hours = countBy(ends.map((end) => Math.floor(end / HOUR)));
  return {
    ...latest.group,
    ...{ count: runs.length, lastAt, firstAt: new Date(Math.min(...ends)), lastRunId: latest.run.id },
    ...{ tasks: tasks.slice(0, NAMED), taskCount: tasks.length },
    hours: hours
      .toSorted(([one], [other]) => one - other)
      .map(([hour, count]) => ({ at: new Date(hour * HOUR), count })),
    state: stateOf(stand, lastAt, now),
    stand: stand && {
      resolvedAt: stand.resolvedAt,
      mutedUntil: stand.mutedUntil,
      by: stand.by,
      note: stand.note,
      changedAt: stand.changedAt,
    },
  };
}

function stateOf(stand: ErrorStand | null, lastAt: Date, now: Date): FailureGroup['state'] {
  if (stand?.mutedUntil && stand.mutedUntil > now) return 'muted';
  if (stand?.resolvedAt) return lastAt > stand.resolvedAt ? 'back' : 'resolved';
  return 'open';
}

/** The most frequent first. */
function countBy<Value>(values: readonly Value[]): [Value, number][] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}

/** Throws `unknown_error` for what is no fingerprint. */
export function checkFingerprint(given: string): void {
  if (/^[0-9a-f]{16}$/.test(given)) return;
  throw new EscapementError('unknown_error', `${JSON.stringify(given.slice(0, 40))} is the fingerprint of no error`, {
    fix: 'see `escapement errors list`',
  });
}
