import type { OverlapPolicy } from '../overlap.ts';
import { type Pause, pauseAt } from '../plan/pause.ts';
import type { Occurrences } from '../schedule/calendar/occurrences.ts';
import { jitterOf } from '../schedule/jitter.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { createFires, type Fires, type Span } from './fires.ts';
import type { Took } from './load.ts';

/** What a forecast has to know of a task. */
export interface ForecastTask {
  name: string;
  schedule: Schedule;
  /** What tells its calendars, and how it uses them, from those of others; empty: it has none. */
  calendars: string;
  occurrences: () => Occurrences;
  /** Its own, and freezes of the fleet. */
  pauses: readonly Pause[];
  /** How many more runs its schedule may have; undefined: any number. */
  remaining: number | undefined;
  /** Runs of each occurrence: one, or one on each worker. */
  each: number;
  pool: string;
  key: string;
  /** How many runs of the key may be at work at once. */
  limit: number;
  overlap: OverlapPolicy;
  /** How long its runs took; null: none has ended of late. */
  took: Took | null;
  /** When it is due next, of a fixed delay; null: when its run at work has ended. */
  nextRunAt: Date | null;
}

export interface RunsOf {
  /** When they are due, in milliseconds since the epoch, in order; those before the time as well that may be at work in it. */
  at: Float64Array;
  /** There are more than were wanted. */
  isCut?: boolean;
  /** Of them, inside the time. */
  inside: number;
  /** Occurrences inside the time that do not run. */
  paused: number;
  excluded: number;
  /** See `Fires`. */
  leastGapMs: number;
}

/** Gives the runs of tasks in a time; null: the task starts at no time that is known. */
export function createRunsOf(firesOf: ReturnType<typeof createFires>, span: Span) {
  return (task: ForecastTask): RunsOf | null => {
    const { schedule, calendars, occurrences } = task;
    if (schedule.kind === 'manual') return null;
    if (schedule.kind === 'fixed-delay') return task.took && afterEnds(task, schedule.delayMs, task.took, span);
    return runsAt(task, firesOf(schedule, calendars, occurrences), span);
  };
}

/**
 * When the runs of tasks are due in a time, the first due first, in milliseconds since the epoch; `untimed`: at no time that is known;
 * `too many`: its schedule has more than `most`.
 */
export function* runsAhead(
  tasks: readonly ForecastTask[],
  span: Span,
  most: number,
): Generator<{ task: ForecastTask; at: Float64Array | 'untimed' | 'too many' }> {
  const runsOf = createRunsOf(createFires({ ...span, leadMs: 0, most }), span);
  for (const task of tasks) {
    const runs = runsOf(task);
    const isMore = runs?.isCut || (runs && runs.at.length > most);
    yield { task, at: isMore ? 'too many' : (runs?.at ?? 'untimed') };
  }
}

function runsAt(task: ForecastTask, fires: Fires, { from, to }: Span): RunsOf {
  const { pauses, remaining, schedule, name } = task;
  const isMoved = (schedule.spec.jitterMs ?? 0) > 0;
  const excluded = fires.excluded;
  if (pauses.length === 0 && remaining === undefined && !isMoved)
    return {
      at: fires.at,
      leastGapMs: fires.leastGapMs,
      isCut: fires.isCut,
      excluded,
      paused: 0,
      inside: countFrom(fires.at, from.getTime()),
    };
  let left = remaining ?? Number.POSITIVE_INFINITY;
  let paused = 0;
  const at: number[] = [];
  for (const fire of fires.at) {
    const isInside = fire >= from.getTime();
    if (pauseAt(pauses, new Date(fire))) paused += isInside ? 1 : 0;
    else if (!isInside || left-- > 0) at.push(isMoved ? fire + jitterOf(schedule, new Date(fire), name) : fire);
  }
  const due = Float64Array.from(at.filter((each) => each < to.getTime())).sort();
  return { at: due, isCut: fires.isCut, excluded, paused, inside: countFrom(due, from.getTime()), leastGapMs: 0 };
}

/** A delay after the end of each run, each as long as half of them are. */
function afterEnds(
  { nextRunAt, remaining, pauses }: ForecastTask,
  delayMs: number,
  took: Took,
  { from, to }: Span,
): RunsOf {
  const at: number[] = [];
  const first = Math.max(from.getTime(), nextRunAt?.getTime() ?? from.getTime() + took.p50Ms + delayMs);
  const most = remaining ?? Number.POSITIVE_INFINITY;
  for (let due = first; due < to.getTime() && at.length < most; due += took.p50Ms + delayMs)
    if (!pauseAt(pauses, new Date(due))) at.push(due);
  return { at: Float64Array.from(at), inside: at.length, paused: 0, excluded: 0, leastGapMs: delayMs + took.p50Ms };
}

function countFrom(at: Float64Array, from: number): number {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return at.length - low;
}
