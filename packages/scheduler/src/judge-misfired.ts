import {
  type AwayDuring,
  type CatchUpVerdict,
  catchUpShare,
  DEFAULT_CATCH_UP,
  judgeCatchUp,
  misfireThresholdMs,
  misfireWords,
  parseSchedule,
  poolPausedReason,
} from '@escapement/core';
import { taskOccurrences } from '@escapement/operations';
import type { MisfiredRun, MisfiredTask } from '@escapement/store';

export interface Judged {
  run: MisfiredRun;
  verdict: CatchUpVerdict;
}

/** What becomes of the misfired runs of a task, judged as the planner judges those that have no row yet. */
export function judgeMisfired(task: MisfiredTask, now: Date, away?: AwayDuring): Judged[] {
  const schedule = parseSchedule(task.schedule, { seed: task.name });
  const { next } = taskOccurrences(schedule, task.rules.calendars, task.calendars);
  const obstacle =
    task.poolPauseNote === null
      ? 'no worker started'
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
    return verdict ? [{ run, verdict }] : [];
  });
}
