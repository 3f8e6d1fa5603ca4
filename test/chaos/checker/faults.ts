import { isTerminal, SECOND } from '@escapement/core';
import type { Evidence, FaultWindow } from '../evidence.ts';
import { deadline } from './deadline.ts';
import { largest } from './extremes.ts';
import { at, type Invariant } from './invariant.ts';

/** I9: beyond the lease. */
const RECOVERY_BOUND_MS = 5 * SECOND;

/** By when all must be quiet after a fault; a machine that stood still meanwhile is given that time. */
function recoveredBy(fault: FaultWindow, { leaseMs, faults, pace }: Evidence): number {
  const byMs = pace.after(fault.healedMs, leaseMs + RECOVERY_BOUND_MS);
  const stalls = faults.filter(({ recoveredMs, failed }) => recoveredMs === undefined && failed === undefined);
  const stoodMs = stalls
    .filter((stall) => stall.fromMs < byMs && stall.healedMs > fault.healedMs)
    .reduce((sum, stall) => sum + stall.healedMs - stall.fromMs, 0);
  return byMs + stoodMs;
}

export const recovers: Invariant = {
  id: 'I9c',
  title: 'within lease time + 5 s after a fault has healed nothing is overdue, dead or missing',
  check(evidence) {
    const judged = evidence.faults.filter(({ recoveredMs }) => recoveredMs !== undefined);
    const tookMs = judged.map(({ recoveredMs, healedMs }) => (recoveredMs ?? Number.POSITIVE_INFINITY) - healedMs);
    const slowestMs = largest(0, tookMs);
    return {
      figures: `${judged.length} faults, the slowest recovery ${(slowestMs / SECOND).toFixed(1)} s`,
      violations: judged.flatMap((fault) => {
        const { name, fromMs, recoveredMs, detail } = fault;
        if (recoveredMs === null || recoveredMs === undefined) return [`${name} at ${at(fromMs)}: never (${detail})`];
        const lateMs = recoveredMs - recoveredBy(fault, evidence);
        return lateMs > 0 ? [`${name} at ${at(fromMs)}: ${lateMs} ms too late`] : [];
      }),
    };
  },
};

/** What a run is in, or ends as, that its queue has forgotten and nobody has put back. */
const NOT_BACK = new Set(['planned', 'queued', 'missed']);

/** Redis holds nothing that is not in Postgres: what it forgot is begun, or ended with a reason other than that, all the same. */
export const redisIsDisposable: Invariant = {
  id: 'I14',
  title: 'what was queued when Redis lost everything is begun or ended all the same',
  check(evidence) {
    const moves = new Map<string, number>();
    for (const { runId, to, atMs } of evidence.moves)
      if (!NOT_BACK.has(to)) moves.set(runId, Math.max(atMs, moves.get(runId) ?? 0));
    const flushes = evidence.faults.filter(({ forgotten }) => forgotten !== undefined);
    const forgotten = flushes.flatMap((flush) => (flush.forgotten ?? []).map((runId) => ({ runId, flush })));
    const due = new Map(evidence.runs.map((run) => [run.id, run.dueMs]));
    // One that was seen queued at the flush may have been ended shortly before, by a transaction that was not committed yet.
    const ended = new Set(
      evidence.runs.filter(({ state }) => isTerminal(state) && !NOT_BACK.has(state)).map(({ id }) => id),
    );
    const gone = forgotten.filter(({ runId, flush }) => {
      const byMs = deadline(due.get(runId) ?? 0, evidence);
      return byMs < evidence.workersStopMs && !ended.has(runId) && (moves.get(runId) ?? 0) < flush.fromMs;
    });
    return {
      figures: `${flushes.length} flushes, ${forgotten.length} runs were queued`,
      violations: gone.map(({ runId, flush }) => `run ${runId} never came back after ${at(flush.fromMs)}`),
    };
  },
};

/** A fault that does nothing proves nothing. */
export const faultsBit: Invariant = {
  id: 'F',
  title: 'each fault could be injected, and bit',
  check({ faults }) {
    return {
      figures: `${faults.filter(({ failed }) => failed === undefined).length} faults, stalls included`,
      violations: faults.flatMap(({ name, failed }) => (failed === undefined ? [] : [`${name}: ${failed}`])),
    };
  },
};
