import {
  type AwayDuring,
  awaitedUntil,
  type CatchUpVerdict,
  catchUpShare,
  DEFAULT_CATCH_UP,
  judgeCatchUp,
  misfireThresholdMs,
  misfireWords,
  parseSchedule,
  poolPausedReason,
  workerWords,
} from '@escapement/core';
import { taskOccurrences } from '@escapement/operations';
import type { MisfiredRun, MisfiredTask } from '@escapement/store';

export interface Judged {
  run: MisfiredRun;
  verdict: CatchUpVerdict;
  /** Of a run that belongs to a worker: until then it waits for that. */
  startBy?: Date;
}

/** What becomes of the misfired runs of a task, judged as the planner judges those that have no row yet. */
export function judgeMisfired(task: MisfiredTask, now: Date, away?: AwayDuring): Judged[] {
  const schedule = parseSchedule(task.schedule, { seed: task.name });
  const { next } = taskOccurrences(schedule, task.rules.calendars, task.calendars);
  const obstacle =
    task.poolPauseNote === null
      ? whoDidNotStart(task)
      : `${poolPausedReason(task.pool, task.poolPauseNote)}, and nobody started`;
  const misfired = task.runs.map(({ scheduledFor, dueAt }) => {
    const after = next(scheduledFor);
    const periodMs = after ? after.getTime() - scheduledFor.getTime() : null;
    const thresholdMs = misfireThresholdMs(task.rules.misfireThresholdMs, periodMs);
    const cause = task.poolPauseNote === null ? away?.(dueAt, new Date(dueAt.getTime() + thresholdMs)) : undefined;
    const misfire = misfireWords(obstacle, thresholdMs, cause);
    return { latenessMs: now.getTime() - dueAt.getTime(), periodMs, misfire };
  });
  const verdicts = judgeCatchUp(misfired, {
    ...task,
    catchUp: task.rules.catchUp ?? DEFAULT_CATCH_UP,
    share: catchUpShare(task.name),
  });
  return task.runs.flatMap((run, index) => {
    const verdict = verdicts[index];
    if (!verdict) return [];
    if (task.worker === null) return [{ run, verdict }];
    const startBy = awaitedUntil(run.scheduledFor, task.rules.catchUp, misfired[index]?.periodMs ?? null);
    return [{ run, verdict, startBy }];
  });
}

function whoDidNotStart({ worker, workerAway }: MisfiredTask): string {
  return worker === null ? 'no worker started' : `${workerWords(worker, workerAway)} did not start`;
}
