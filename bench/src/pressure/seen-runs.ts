import { newRunId, SECOND } from '@escapement/core';
import type { Database } from '@escapement/store';

/** A run as the ledger has it. Instants in milliseconds. */
export interface SeenRun {
  dueMs: number;
  /** When its last attempt began. */
  startedMs: number | null;
  endedMs: number | null;
  state: string;
  /** How many attempts have begun. */
  attempts: number;
}

/** What was due before a phase may end in it. */
const BEFORE_MS = 120 * SECOND;
const NO_CHANCE = new Uint8Array(10);

/** The runs that were due in a phase, in the rest after it, or shortly before. The ids begin with that time. */
export async function readSeenRuns(db: Database, fromMs: number, untilMs: number): Promise<SeenRun[]> {
  const [from, until] = [new Date(fromMs - BEFORE_MS), new Date(untilMs)];
  const { rows } = await db.pool.query<SeenRun>(
    `SELECT extract(epoch FROM scheduled_for)::float8 * 1000 AS "dueMs", extract(epoch FROM started_at)::float8 * 1000 AS "startedMs",
       extract(epoch FROM finished_at)::float8 * 1000 AS "endedMs", state, attempt AS attempts
     FROM any_run WHERE scheduled_for >= $1 AND scheduled_for < $2 AND id >= $3 AND id < $4`,
    [from.toISOString(), until.toISOString(), newRunId(from, NO_CHANCE), newRunId(until, NO_CHANCE)],
  );
  return rows;
}
