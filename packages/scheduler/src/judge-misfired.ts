import { workerWords } from '@escapement/core';
import {
  type AwayDuring,
  awaitedUntil,
  type CatchUpVerdict,
  catchUpShare,
  DEFAULT_CATCH_UP,
  holdsUntil,
  judgeCatchUp,
  lateFrom,
  misfiresAtOf,
  misfireThresholdMs,
  misfireWords,
  poolPausedReason,
} from '@escapement/core/plan';
import { jitterOf, parseSchedule } from '@escapement/core/schedule';
import { taskOccurrences } from '@escapement/operations';
import type { MisfiredRun, MisfiredTask } from '@escapement/store';

export interface Judged {
  taskId: string;
  run: MisfiredRun;
  /** No newer one of its task was judged with it. */
  isNewest: boolean;
  /** The occurrence after it; null: there is none. */
  nextAt: Date | null;
  verdict: CatchUpVerdict;
  /** As its schedule says, with its jitter. */
  dueAt: Date;
  /** Begin refuses a run that is caught up after this; null: never. */
  holdsUntil: Date | null;
  /** Of a run that belongs to a worker: until then it waits for that. */
  startBy?: Date;
}

/** The rules of a task, with its schedule read. */
type Read = ReturnType<typeof read>;

/** Judges the open runs of a task that have misfired, as the planner judges occurrences without a row. */
export function judgeMisfired(task: MisfiredTask, now: Date, away?: AwayDuring): Judged[] {
  const rules = read(task);
  const misfired = task.runs.map((run) => ({
    ...misfireOf(run, task, { rules, now, away }),
    chosen: run.judged === 'chosen',
    over: run.judged === 'over',
  }));
  const verdicts = judgeCatchUp(misfired, {
    ...task,
    catchUp: rules.catchUp,
    openBefore: false,
    share: catchUpShare(task.name),
  });
  const newestAt = task.runs.at(-1)?.scheduledFor ?? now;
  return task.runs.flatMap((run, index) => {
    const [verdict, misfire] = [verdicts[index], misfired[index]];
    if (!verdict || !misfire) return [];
    const { dueAt, periodMs, after: nextAt } = misfire;
    const occurrence = { at: run.scheduledFor, dueAt: lateFrom(dueAt, rules.effectiveAt), periodMs };
    const holds =
      verdict.to === 'run'
        ? holdsUntil(
            { ...occurrence, holds: verdict.holds },
            { ...rules, now, newestAt, unplannedFrom: task.unplannedFrom },
          )
        : null;
    const isNewest = index === task.runs.length - 1;
    const judged = { taskId: task.id, run, isNewest, nextAt, verdict, dueAt, holdsUntil: holds };
    if (task.worker === null) return [judged];
    return [{ ...judged, startBy: awaitedUntil(run.scheduledFor, task.rules.catchUp, periodMs) }];
  });
}

function read({ name, schedule: spec, rules, calendars, effectiveAt }: MisfiredTask) {
  const schedule = parseSchedule(spec, { seed: name });
  const { next } = taskOccurrences(schedule, rules.calendars, calendars);
  const delayMs = (at: Date) => jitterOf(schedule, at, name);
  return {
    next,
    delayMs,
    thresholdMs: rules.misfireThresholdMs,
    catchUp: rules.catchUp ?? DEFAULT_CATCH_UP,
    misfiresAt: misfiresAtOf({ misfireThresholdMs: rules.misfireThresholdMs, delayMs }),
    // Only a date that had passed when its task was saved lies before that.
    effectiveAt: schedule.kind === 'once' ? effectiveAt : undefined,
  };
}

interface Asked {
  rules: Read;
  now: Date;
  away: AwayDuring | undefined;
}

function misfireOf({ scheduledFor }: MisfiredRun, task: MisfiredTask, { rules, now, away }: Asked) {
  const after = rules.next(scheduledFor);
  const periodMs = after ? after.getTime() - scheduledFor.getTime() : null;
  const dueAt = new Date(scheduledFor.getTime() + rules.delayMs(scheduledFor));
  const thresholdMs = misfireThresholdMs(rules.thresholdMs, periodMs);
  const isPaused = task.poolPauseNote !== null;
  const cause = isPaused ? undefined : away?.(dueAt, new Date(dueAt.getTime() + thresholdMs));
  const latenessMs = now.getTime() - lateFrom(dueAt, rules.effectiveAt).getTime();
  return { latenessMs, periodMs, after, dueAt, misfire: misfireWords(obstacleTo(task), thresholdMs, cause) };
}

function obstacleTo(task: MisfiredTask): string {
  if (task.poolPauseNote !== null) return `${poolPausedReason(task.pool, task.poolPauseNote)}, and nobody started`;
  return task.worker === null ? 'no worker started' : `${workerWords(task.worker, task.workerAway)} did not start`;
}
