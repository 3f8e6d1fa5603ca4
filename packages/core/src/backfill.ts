import { FAILED_STATES, isTerminal, type RunState } from './run-state.ts';

/** Which occurrences that ran already a backfill runs again. */
export const REPROCESS = ['none', 'failed', 'all'] as const;
export type Reprocess = (typeof REPROCESS)[number];

/** What a backfill does with an occurrence. */
export type BackfillAction =
  /** It is in no row: it gets one. */
  | { kind: 'run' }
  /** It is in a row: it gets a run linked to that, never a second row of its own (I1). */
  | { kind: 'rerun'; of: string }
  | { kind: 'keep' };

/** States of occurrences that never ran: a backfill is there to run them. */
const NEVER_RAN: readonly RunState[] = ['missed', 'skipped'];

/**
 * Judges one occurrence. One that never ran is run; one that ran and failed with `failed` or `all`; one that ended
 * otherwise with `all`; one that is still open never.
 */
export function judgeBackfill(
  row: { runId: string; state: RunState } | undefined,
  reprocess: Reprocess,
): BackfillAction {
  if (!row) return { kind: 'run' };
  const again =
    NEVER_RAN.includes(row.state) ||
    (reprocess !== 'none' && FAILED_STATES.includes(row.state)) ||
    (reprocess === 'all' && isTerminal(row.state));
  return again ? { kind: 'rerun', of: row.runId } : { kind: 'keep' };
}
