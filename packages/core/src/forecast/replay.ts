import type { OverlapPolicy } from '../overlap.ts';
import { createKeyQueue, type KeyStart } from './key-queue.ts';

/** A run as it was. */
export interface RecordedRun {
  /** When it was due, in milliseconds since the epoch. */
  at: number;
  tookMs: number;
}

export interface ReplayQuestion {
  /** When the task is due, in milliseconds since the epoch, in order. */
  at: ArrayLike<number>;
  /** Its runs as they were, in order; at least one. Each run of the replay takes as long as the one nearest to it. */
  recorded: readonly RecordedRun[];
  overlap: OverlapPolicy;
  limit: number;
  /** Runs of other tasks with the same key, in order. */
  others: readonly KeyStart[];
}

/** What becomes of the runs of a task. */
export interface ReplayOutcome {
  due: number;
  started: number;
  skipped: number;
  /** Of those that start, how many do so later than they are due, the latest of them, and the time that 95 % are not later than. */
  late: number;
  longestWaitMs: number;
  lateP95Ms: number;
  /** Runs that stop the one before. */
  replaced: number;
  /** All runs together. */
  atWorkMs: number;
  /** The first that does not simply start, in milliseconds since the epoch; null: each does. */
  firstAt: number | null;
}

/** Plays starts of a task through, with the durations that its runs had, and beside the other runs of its key. */
export function replay({ at, recorded, overlap, limit, others }: ReplayQuestion): ReplayOutcome {
  const judge = createKeyQueue(limit);
  const waits: number[] = [];
  const outcome: ReplayOutcome = {
    ...{ due: at.length, started: 0, skipped: 0, late: 0, longestWaitMs: 0, lateP95Ms: 0, replaced: 0 },
    ...{ atWorkMs: 0, firstAt: null },
  };
  let other = 0;
  for (let index = 0; index < at.length; index++) {
    const due = at[index] ?? 0;
    for (let next = others[other]; next && next.at <= due; next = others[++other]) judge(next);
    const tookMs = nearest(recorded, due);
    const { startedAt, replaces } = judge({ at: due, tookMs, overlap });
    if (startedAt !== due || replaces) outcome.firstAt ??= due;
    if (startedAt === null) {
      outcome.skipped += 1;
      continue;
    }
    outcome.started += 1;
    outcome.atWorkMs += tookMs;
    if (replaces) outcome.replaced += 1;
    waits.push(startedAt - due);
  }
  waits.sort((a, b) => a - b);
  outcome.late = waits.filter((ms) => ms > 0).length;
  outcome.longestWaitMs = waits.at(-1) ?? 0;
  outcome.lateP95Ms = waits[Math.max(0, Math.ceil(0.95 * waits.length) - 1)] ?? 0;
  return outcome;
}

/** How long the run took that was due nearest to an instant. */
function nearest(recorded: readonly RecordedRun[], at: number): number {
  let [low, high] = [0, recorded.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((recorded[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [recorded[low - 1], recorded[low]];
  if (!before || !after) return (before ?? after)?.tookMs ?? 0;
  return at - before.at <= after.at - at ? before.tookMs : after.tookMs;
}
