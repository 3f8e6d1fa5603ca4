import { groupedBy, isTerminal, SECOND } from '@escapement/core';
import type { Evidence, FaultWindow, Move } from '../evidence.ts';
import { deadline, START_BOUND_MS } from './deadline.ts';
import { smallest } from './extremes.ts';
import { isStart } from './fences.ts';
import { at, type Invariant } from './invariant.ts';

export const neverEarly: Invariant = {
  id: 'I7',
  title: "no start before its time, by Postgres' clock",
  check(evidence) {
    const starts = evidence.moves.filter(isStart);
    const lateMs = starts.map(lateness).sort((a, b) => a - b);
    const percentile = (share: number) => lateMs[Math.min(lateMs.length - 1, Math.floor(lateMs.length * share))] ?? 0;
    return {
      figures: `late p50 ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms, max ${lateMs.at(-1) ?? 0} ms`,
      violations: starts
        .filter((move) => !(lateness(move) >= 0))
        .map((move) => `run ${move.runId} began ${-lateness(move)} ms early, at ${at(move.atMs)}`),
    };
  },
};

function lateness({ startedMs, dueMs }: Move): number {
  return (startedMs ?? Number.NaN) - dueMs;
}

/** What lets one run weigh on the others. */
const BAD_TASKS = ['task that kills its worker', 'task that kills its own process', 'run that floods its log'];
/** What the scheduling of a machine does to starts; in fair time, by the machine as it is without the bad task. */
const NOISE_MS = 250;
/** Before and after a bad task: so long tells how busy the machine was with other things. */
const AROUND_MS = 10 * SECOND;
/** Starts that a bad task is judged by, at least: where it was over sooner, those that follow count too. */
const ENOUGH_STARTS = 20;

/** Judged by medians: a single late start has many causes. A dead worker's own runs are not its neighbours'. */
export const goodNeighbours: Invariant = {
  id: 'I10',
  title: 'a bad task does not make others start more than twice as late',
  check(evidence) {
    const first = evidence.moves
      .filter((move) => isStart(move) && move.attempt === 1)
      .sort((one, other) => one.atMs - other.atMs);
    const bad = evidence.faults.filter(({ name }) => BAD_TASKS.includes(name));
    const isIn = (windows: readonly FaultWindow[]) => (move: Move) =>
      windows.some(({ fromMs, recoveredMs, healedMs }) => {
        return move.atMs >= fromMs && move.atMs <= (recoveredMs ?? healedMs);
      });
    const usualMs = median(first.filter((move) => !isIn(evidence.faults)(move)).map(lateness));
    const besideOf = (window: FaultWindow) => {
      const count = Math.max(ENOUGH_STARTS, first.filter(isIn([window])).length);
      return first.filter(({ atMs }) => atMs >= window.fromMs).slice(0, count);
    };
    const beside = bad.map((window) => ({ window, ms: median(besideOf(window).map(lateness)) }));
    const noiseMs = (window: FaultWindow) => NOISE_MS * slowdownAround(window, evidence);
    return {
      figures: `late p50 ${usualMs} ms as a rule${beside.map(({ window, ms }) => `, ${ms} ms beside ${window.name}`).join('')}`,
      violations: beside
        .filter(({ window, ms }) => ms > 2 * usualMs + noiseMs(window))
        .map(({ window, ms }) => `${ms} ms instead of ${usualMs} ms beside ${window.name}`),
    };
  },
};

/** How many times as long things took before and after it, whichever is more. Its own time is left out: it may be the reason. */
function slowdownAround({ fromMs, recoveredMs, healedMs }: FaultWindow, { pace }: Evidence): number {
  const toMs = recoveredMs ?? healedMs;
  const around = [pace.fairMs(fromMs - AROUND_MS, fromMs), pace.fairMs(toMs, toMs + AROUND_MS)];
  return Math.max(...around.map((fairMs) => AROUND_MS / fairMs));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A time from which on a run was to start, and what came of it. */
export interface DueStart {
  runId: string;
  attempt: number;
  dueMs: number;
  /** When it must have come. */
  byMs: number;
  /** Infinity: nothing came. */
  answeredMs: number;
}

/**
 * From its due time (of the first attempt, or of the retry) each run has 5 s to begin, or to be refused with a
 * reason because its key was busy. A fault stretches the time to 5 s after its healing; a killed worker counts as
 * healed after the lease time, since until then its runs, its jobs and its keys may rightly still be its own.
 */
export const startsInTime: Invariant = {
  id: 'I6',
  title: 'each run begins or is refused within 5 s of its time, or of recovery',
  check(evidence) {
    const due = dueStarts(evidence).filter(({ byMs }) => byMs < evidence.workersStopMs);
    const undisturbed = due.filter(({ byMs, dueMs }) => byMs === evidence.pace.after(dueMs, START_BOUND_MS));
    const slackMs = smallest(
      START_BOUND_MS,
      due.map(({ answeredMs, byMs }) => byMs - answeredMs),
    );
    return {
      figures: `${due.length} due, ${undisturbed.length} of them undisturbed; the closest ${(slackMs / SECOND).toFixed(1)} s before its bound`,
      violations: due
        .filter(({ answeredMs, byMs }) => answeredMs > byMs)
        .map(
          (each) =>
            `run ${each.runId} attempt ${each.attempt}, due ${at(each.dueMs)}, by ${at(each.byMs)}: ${came(each)}`,
        ),
    };
  },
};

function came({ answeredMs }: DueStart): string {
  return answeredMs === Number.POSITIVE_INFINITY ? 'nothing came' : `came ${at(answeredMs)}`;
}

export function dueStarts(evidence: Evidence): DueStart[] {
  const history = groupedBy(evidence.moves, (move) => move.runId);
  return [...history.values()].flatMap((moves) => dueStartsOf(moves, evidence));
}

function dueStartsOf(moves: readonly Move[], evidence: Evidence): DueStart[] {
  return moves.flatMap((move, index) => {
    // Made, to be tried again, or woken: its key is its own now.
    const isDue =
      (move.from === null && !isTerminal(move.to)) ||
      move.to === 'retrying' ||
      (move.from === 'waiting' && move.to === 'queued');
    if (!isDue) return [];
    // A loss may be found long after the retry's nominal time: the finding is due by the lease (see lossesFound).
    const dueMs = Math.max(move.dueMs, move.atMs);
    const answer = moves.slice(index + 1).find(({ to }) => to !== 'queued' && to !== 'planned');
    const answeredMs = answer?.atMs ?? Number.POSITIVE_INFINITY;
    return [{ runId: move.runId, attempt: move.attempt + 1, dueMs, byMs: deadline(dueMs, evidence), answeredMs }];
  });
}
