import { EscapementError, type OverlapPolicy } from '@escapement/core';
import { firesIn, type KeyStart, type ReplayOutcome, replay } from '@escapement/core/forecast';
import { jitterOf, type Occurrences, parseSchedule, type Schedule } from '@escapement/core/schedule';
import { type Database, type RunAsItWas, recordedRuns, type Task } from '@escapement/store';
import { readOccurrences } from '../tasks/task-occurrences.ts';

/** What would be another way; what is left out stays as it is. */
export interface Change {
  schedule?: Schedule | undefined;
  occurrences?: Occurrences | undefined;
  overlap?: OverlapPolicy | undefined;
  limit?: number | undefined;
}

export interface WhatIf {
  /** Replayed from then on: later than was asked for, where the task is younger or there are too many runs. */
  from: Date;
  to: Date;
  /** Runs of the task that were recorded. */
  recorded: number;
  now: ReplayOutcome;
  then: ReplayOutcome;
}

/** Runs replayed at most, of all tasks of the key. */
const MOST_RUNS = 200_000;

/**
 * What would have become of the runs of a task in [from, to) as it is, and with a change: with the durations that its runs had, beside the
 * other runs of its key. Throws `never_ran`, `cannot_replay`.
 */
export async function whatIf(
  db: Database,
  task: Task,
  change: Change,
  { from: asked, to }: { from: Date; to: Date },
): Promise<WhatIf> {
  const { id, name, definition, createdAt } = task;
  if (definition.runOn)
    throw new EscapementError('cannot_replay', `${name} has a run on every worker, each with a key of its own`, {
      fix: 'ask for a task that does not run on every worker',
    });
  const runs = await recordedRuns(db, { taskId: id, from: asked, to, limit: MOST_RUNS });
  const recorded = runs
    .filter(({ taskId }) => taskId === id)
    .map(({ dueAt, tookMs }) => ({ at: dueAt.getTime(), tookMs }));
  const [first] = recorded;
  if (!first)
    throw new EscapementError('never_ran', `no run of ${name} that was due since ${asked.toISOString()} has ended`, {
      fix: 'replay a longer time, or wait until it has run',
    });
  // A backfill makes runs of before the task.
  const existsSince = new Date(Math.min(createdAt.getTime(), first.at));
  const readSince = runs.length < MOST_RUNS ? asked : (runs[0]?.dueAt ?? asked);
  const from = latestOf(asked, existsSince, readSince);
  const others = runs.filter(({ taskId }) => taskId !== id).map(toStart);
  const schedule = parseSchedule(definition.schedule, { seed: name });
  const play = (at: ArrayLike<number>, { overlap = definition.overlap, limit = definition.limit }: Change) =>
    replay({ at, recorded, overlap, limit, others });
  // What counts from ends, or is triggered, was due when it was.
  const asItWas = recorded.map(({ at }) => at);
  const isTimed = schedule.kind !== 'manual' && schedule.kind !== 'fixed-delay';
  const before = isTimed ? dueIn(name, schedule, await readOccurrences(db, definition), { from, to }) : asItWas;
  return {
    ...{ from, to, recorded: recorded.length },
    now: play(before, {}),
    then: play(change.schedule ? changed(name, change, { from, to }) : before, change),
  };
}

function latestOf(...instants: readonly Date[]): Date {
  return new Date(Math.max(...instants.map((instant) => instant.getTime())));
}

function toStart({ dueAt, tookMs, overlap }: RunAsItWas): KeyStart {
  return { at: dueAt.getTime(), tookMs, overlap };
}

function changed(name: string, { schedule, occurrences }: Change, span: { from: Date; to: Date }): ArrayLike<number> {
  if (!schedule || !occurrences || schedule.kind === 'manual' || schedule.kind === 'fixed-delay')
    throw new EscapementError('cannot_replay', `a schedule of kind ${schedule?.kind} is due at no time of its own`, {
      fix: 'give a cron expression',
    });
  return dueIn(name, schedule, occurrences, span);
}

function dueIn(
  name: string,
  schedule: Schedule,
  occurrences: Occurrences,
  span: { from: Date; to: Date },
): ArrayLike<number> {
  const fires = firesIn(occurrences, span);
  if ((schedule.spec.jitterMs ?? 0) === 0) return fires;
  return fires.map((at) => at + jitterOf(schedule, new Date(at), name)).sort();
}
