import {
  admitInstant,
  isOnGrid,
  nearestInstant,
  newRunId,
  type RepeatGrid,
  type RepeatRange,
  renderKey,
  repeatGrid,
  SECOND,
} from '@escapement/core';
import {
  type AwayDuring,
  catchUpShare,
  type Plan,
  type PlannedOccurrence,
  planOccurrences,
} from '@escapement/core/plan';
import { jitterOf, nextFire, parseSchedule, type Schedule } from '@escapement/core/schedule';
import { restsOf } from '@escapement/core/shadow';
import type { DueTask, PlannedRun, TaskMove } from '@escapement/store';
import { rowsOnWorkers } from './rows-on-workers.ts';
import { taskOccurrences } from './task-occurrences.ts';

/** From here on the job scheduler of a new task fires: the wait of the synchronisation, its pass, and its lead. */
const REPEAT_LEAD_MS = 3 * SECOND;

export interface PlanRange {
  /** How far ahead rows are made. Milliseconds. */
  horizonMs: number;
  /** Steady intervals of this range are started by repeats. */
  repeatable: RepeatRange;
  /** Which servers were away, for the reasons of what misfired. Default: not known. */
  away?: AwayDuring | undefined;
}

/** The rows of a task up to the horizon and where it moves; undefined where there is nothing to write. */
export function planTask(
  task: DueTask,
  now: Date,
  { horizonMs, repeatable, away }: PlanRange,
): { move: TaskMove; rows: PlannedRun[] } | undefined {
  const schedule = scheduleOf(task);
  admitInstant(task.nextRunAt, 'the time of a run');
  const grid = task.workers === null && !task.rules.shadow ? repeatGrid(schedule, repeatable) : null;
  const { maxRuns } = schedule.spec;
  const move = { taskId: task.id, planSeq: task.planSeq };
  const countsFromEnd = schedule.kind === 'fixed-delay';
  // The write that ended its last run does not know the schedule's end.
  if (countsFromEnd && task.nextRunAt.getTime() > schedule.endAt)
    return { move: { ...move, nextRunAt: null }, rows: [] };
  const { next, excluded } = taskOccurrences(schedule, task.rules.calendars, task.calendars);
  const plan = planOccurrences({
    next,
    excluded,
    nextRunAt: task.nextRunAt,
    pauses: task.rules.shadow ? [...restsOf(task.handovers), ...task.pauses] : task.pauses,
    taken: new Set(task.taken.map((at) => at.getTime())),
    now,
    // A worker may come until then.
    horizonMs: task.workers?.length === 0 ? Math.min(0, horizonMs) : horizonMs,
    away,
    ...task.rules,
    // Only a date that had passed when its task was saved lies before that.
    effectiveAt: schedule.kind === 'once' ? task.effectiveAt : undefined,
    delayMs: (at) => jitterOf(schedule, at, task.name),
    share: catchUpShare(task.name),
    begunBefore: task.begunBefore,
    openBefore: task.openBefore,
    remaining: maxRuns === undefined ? undefined : Math.max(0, maxRuns - task.plannedRuns),
  });
  if (plan.occurrences.length === 0 && plan.nextRunAt?.getTime() === task.nextRunAt.getTime()) return undefined;
  const key = renderKey(task.keyTemplate, task.payload);
  // A run that never runs has no end that would set the next one: it counts from when it would have run, or from now.
  const counted = maxRuns === undefined ? 0 : plan.occurrences.filter(isToRun).length;
  const rows = plan.occurrences.map((occurrence) => ({
    ...occurrence,
    id: newRunId(occurrence.scheduledFor),
    taskId: task.id,
    key,
    byRepeat: grid !== null && isForRepeat(occurrence, grid, now),
  }));
  const isOver = countsFromEnd && plan.occurrences.every((each) => !isToRun(each));
  return {
    move: {
      ...move,
      nextRunAt: isOver && !plan.ended ? nextFire(schedule, later(now, lastOf(plan))) : plan.nextRunAt,
      counted,
      endedAt: plan.ended && !countsFromEnd ? endAfter(lastOf(plan), task.effectiveAt) : null,
    },
    rows: task.workers === null ? rows : rows.flatMap((row) => rowsOnWorkers(row, task, next)),
  };
}

function lastOf({ occurrences }: Plan): Date | undefined {
  return occurrences.at(-1)?.scheduledFor;
}

function later(now: Date, at: Date | undefined): Date {
  return at && at > now ? at : now;
}

function isToRun({ state }: PlannedOccurrence): boolean {
  return state === 'planned' || state === 'held';
}

/** `H` fields and jitter are spread by the task's name. */
function scheduleOf(task: DueTask): Schedule {
  return parseSchedule(task.schedule, { seed: task.name });
}

/** What is due before the repeats of a new task can have begun gets a job. */
function isForRepeat({ scheduledFor, dueAt, origin, state }: PlannedOccurrence, grid: RepeatGrid, now: Date): boolean {
  const dueMs = dueAt.getTime();
  return (
    origin === 'schedule' &&
    state === 'planned' &&
    dueMs === scheduledFor.getTime() &&
    isOnGrid(grid, dueMs) &&
    dueMs >= now.getTime() + REPEAT_LEAD_MS
  );
}

/** The end of a version no longer belongs to it; its last occurrence does, if it has one. */
function endAfter(last: Date | undefined, effectiveAt: Date): Date {
  return last ? nearestInstant(last.getTime() + 1) : effectiveAt;
}
