import { randomUUID } from 'node:crypto';
import type { RunState, Verdict } from '@escapement/core';
import type { Database } from '../postgres/database.ts';
import { finishRuns } from './finish-runs.ts';

/** A run that nobody runs, as it was found. */
export interface FoundRun {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
}

/** What becomes of it. */
export interface EndOfFound extends Pick<Verdict, 'to' | 'reason'> {
  /** The run in its way; null: none was. */
  holder?: string | null;
}

/** Ends runs that nobody runs, if they are as they were found. Returns how many. */
export async function finishAsFound<Run extends FoundRun>(
  db: Database,
  runs: readonly Run[],
  endOf: (run: Run, index: number) => EndOfFound,
): Promise<number> {
  const results = await finishRuns(
    db,
    runs.map((run, index) => {
      const { holder = null, ...end } = endOf(run, index);
      return {
        runId: run.id,
        scheduledFor: run.scheduled_for,
        seen: run,
        fence: null,
        finishId: randomUUID(),
        verdict: { ...end, lost: false, uncounted: false },
        ...(holder === null ? {} : { blockedBy: holder }),
      };
    }),
  );
  return results.filter((result) => result === 'applied').length;
}
