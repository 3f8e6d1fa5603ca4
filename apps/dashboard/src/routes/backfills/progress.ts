import type { components } from '../../api/generated/openapi.ts';
import { hasEnded, type RunState } from '../../states.ts';

export type Backfill = components['schemas']['Backfill'];

/** How much of its time lies behind it, from 0 to 1. How many occurrences that were is not known. */
export function shareOf({ state, fromAt, toAt, cursorAt, reverse }: Backfill): number {
  if (state === 'done') return 1;
  if (cursorAt === null) return 0;
  const [from, to, at] = [fromAt, toAt, cursorAt].map((each) => Date.parse(each)) as [number, number, number];
  if (to === from) return 1;
  const share = (at - from) / (to - from);
  return Math.min(1, Math.max(0, reverse ? 1 - share : share));
}

const FAILED: readonly RunState[] = ['failed', 'timed_out', 'quarantined'];

export interface RunCounts {
  succeeded: number;
  failed: number;
  /** Skipped, missed, cancelled or superseded. */
  notRun: number;
  /** Not ended. */
  open: number;
  /** Of these, what a stop would cancel: not begun. */
  waiting: number;
}

/** What has come of its runs. */
export function countsOf({ progress }: Backfill): RunCounts {
  const entries = Object.entries(progress) as [RunState, number][];
  const sum = (fits: (state: RunState) => boolean) =>
    entries.reduce((total, [state, count]) => total + (fits(state) ? count : 0), 0);
  const isFailed = (state: RunState) => FAILED.includes(state);
  return {
    succeeded: progress.succeeded ?? 0,
    failed: sum(isFailed),
    notRun: sum((state) => hasEnded(state) && state !== 'succeeded' && !isFailed(state)),
    open: sum((state) => !hasEnded(state)),
    waiting: sum((state) => !hasEnded(state) && state !== 'running' && state !== 'unknown'),
  };
}
