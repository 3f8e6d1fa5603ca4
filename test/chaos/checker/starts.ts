import { isTerminal, SECOND } from '@escapement/core';
import type { Evidence, Move } from '../evidence.ts';
import { deadline, START_BOUND_MS } from './deadline.ts';
import { isStart } from './fences.ts';
import { at, groupBy, type Invariant } from './invariant.ts';

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

/** A time from which on a run was owed a start, and what came of it. */
export interface OwedStart {
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
    const due = owedStarts(evidence).filter(({ byMs }) => byMs < evidence.workersStopMs);
    const undisturbed = due.filter(({ byMs, dueMs }) => byMs === dueMs + START_BOUND_MS);
    const slackMs = Math.min(START_BOUND_MS, ...due.map(({ answeredMs, byMs }) => byMs - answeredMs));
    return {
      figures: `${due.length} owed, ${undisturbed.length} of them undisturbed; the closest ${(slackMs / SECOND).toFixed(1)} s before its bound`,
      violations: due
        .filter(({ answeredMs, byMs }) => answeredMs > byMs)
        .map(
          (each) =>
            `run ${each.runId} attempt ${each.attempt}, due ${at(each.dueMs)}, by ${at(each.byMs)}: ${came(each)}`,
        ),
    };
  },
};

function came({ answeredMs }: OwedStart): string {
  return answeredMs === Number.POSITIVE_INFINITY ? 'nothing came' : `came ${at(answeredMs)}`;
}

export function owedStarts(evidence: Evidence): OwedStart[] {
  const history = groupBy(evidence.moves, (move) => move.runId);
  return [...history.values()].flatMap((moves) => owedOf(moves, evidence));
}

function owedOf(moves: readonly Move[], { faults }: Evidence): OwedStart[] {
  return moves.flatMap((move, index) => {
    const isOwed = (move.from === null && !isTerminal(move.to)) || move.to === 'retrying';
    if (!isOwed) return [];
    // A loss may be found long after the retry's nominal time: the finding is owed by the lease (see lossesFound).
    const dueMs = Math.max(move.dueMs, move.atMs);
    const answer = moves.slice(index + 1).find(({ to }) => to !== 'queued' && to !== 'planned');
    const answeredMs = answer?.atMs ?? Number.POSITIVE_INFINITY;
    return [{ runId: move.runId, attempt: move.attempt + 1, dueMs, byMs: deadline(dueMs, faults), answeredMs }];
  });
}
