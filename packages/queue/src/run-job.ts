import { z } from 'zod';

/** A run as Redis knows it. */
export interface RunRef {
  pool: string;
  runId: string;
  /** How many times the run was queued; a job of an older dispatch is refused when it begins. */
  dispatch: number;
}

export interface RunJob extends RunRef {
  /** Milliseconds until the run is due, by the clock that decides (Postgres'). 0 or less: now. */
  delayMs: number;
}

/** Only ids cross Redis. `v` says how to read them: a fleet is updated one process after another. */
export const runJobData = z.object({
  v: z.literal(1),
  runId: z.string().min(1).max(100),
  dispatch: z.int().min(0),
});

export type RunJobData = z.output<typeof runJobData>;
