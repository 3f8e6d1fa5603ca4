import { SECOND } from '@escapement/core';
import type { Evidence, FaultWindow } from '../evidence.ts';
import { deadline } from './deadline.ts';
import { owedStarts } from './starts.ts';

/** A start later than that is overdue. */
const OVERDUE_MS = 1 * SECOND;

/** From a fault to the moment from which nothing that it held up was overdue any more. 0: it held up nothing. */
export function recoveryMs(evidence: Evidence, fault: FaultWindow): number {
  const untilMs = deadline(fault.fromMs, [fault]);
  const heldUp = owedStarts(evidence)
    .filter(({ dueMs, answeredMs }) => dueMs < untilMs && answeredMs > fault.fromMs && answeredMs - dueMs > OVERDUE_MS)
    .map(({ answeredMs }) => answeredMs);
  const foundAgain = evidence.moves.filter(
    ({ runId, to, atMs }) => fault.killed?.runs.includes(runId) && to === 'running' && atMs > fault.fromMs,
  );
  const lastMs = Math.max(fault.fromMs, ...heldUp, ...foundAgain.map(({ atMs }) => atMs));
  return lastMs - fault.fromMs;
}
