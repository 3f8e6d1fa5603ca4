import { EscapementError, type RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { RERUNNABLE, type Rerunnable, type RerunnableRow, rerunRuns, rerunTerms, toRerunnable } from './rerun-runs.ts';

/** The states in which a run is a dead letter: it failed for good. */
export const DEAD_STATES = ['failed', 'timed_out', 'quarantined'] as const satisfies readonly RunState[];

export interface DeadFilter {
  states: readonly (typeof DEAD_STATES)[number][];
  taskName?: string;
  /** Runs scheduled for this instant or later. */
  since?: Date;
  /** Runs scheduled for before this instant. */
  until?: Date;
}

export interface RedriveRequest extends DeadFilter {
  /** At most so many, the oldest first. */
  limit: number;
  who: string;
  reason: string | null;
  /** Changes nothing. */
  dryRun: boolean;
}

export interface RedriveResult {
  /** `rerunId` is null in a dry run. */
  redriven: { runId: string; taskName: string; scheduledFor: Date; rerunId: string | null }[];
  /** What cannot be run again as its task is now. */
  refused: { runId: string; taskName: string; why: string }[];
  /** How many more the filter finds. */
  left: number;
}

/** Runs in one statement. */
const BATCH = 500;

/**
 * Runs the dead letters of a filter once more, each of those that have not been re-run: repeated, or carried out by
 * several people at once, it makes one re-run of each. Runs of deleted tasks are not looked at.
 */
export async function redriveRuns(db: Database, request: RedriveRequest): Promise<RedriveResult> {
  const dead = await deadRuns(db, request, request.limit);
  const result: RedriveResult = { redriven: [], refused: [], left: 0 };
  for (let from = 0; from < dead.length; from += BATCH) {
    const runs = dead.slice(from, from + BATCH).flatMap((run) => {
      const terms = termsOf(run);
      if (typeof terms !== 'string') return [{ ...run, ...terms }];
      result.refused.push({ runId: run.runId, taskName: run.task.name, why: terms });
      return [];
    });
    const made = request.dryRun
      ? undefined
      : await rerunRuns(db, runs, { ...request, sameVersion: false, once: true, action: 'redrive' });
    for (const { runId, scheduledFor, task } of runs) {
      const rerunId = made?.get(runId) ?? null;
      if (!made || rerunId) result.redriven.push({ runId, taskName: task.name, scheduledFor, rerunId });
    }
  }
  if (dead.length === request.limit) result.left = (await countDeadRuns(db, request)) - untouched(result, request);
  return result;
}

function untouched({ redriven, refused }: RedriveResult, { dryRun }: RedriveRequest): number {
  return refused.length + (dryRun ? redriven.length : 0);
}

function termsOf(run: Rerunnable): ReturnType<typeof rerunTerms> | string {
  try {
    return rerunTerms(run, false);
  } catch (error) {
    if (error instanceof EscapementError) return error.message;
    throw error;
  }
}

/** The dead letters of a filter that have not been re-run, the oldest first. */
async function deadRuns(db: Database, filter: DeadFilter, limit: number): Promise<Rerunnable[]> {
  const text = `SELECT ${RERUNNABLE} ${DEAD_RUNS} ORDER BY r.scheduled_for, r.id LIMIT $6`;
  const rows = await query<RerunnableRow>(db.pool, 'dead_runs', text, [...parametersOf(db, filter), limit]);
  return rows.map(toRerunnable);
}

async function countDeadRuns(db: Database, filter: DeadFilter): Promise<number> {
  const text = `SELECT count(*)::integer AS count ${DEAD_RUNS}`;
  const [row] = await query<{ count: number }>(db.pool, 'count_dead_runs', text, parametersOf(db, filter));
  return row?.count ?? 0;
}

function parametersOf(db: Database, filter: DeadFilter): unknown[] {
  return [
    db.namespace,
    filter.states,
    filter.since?.toISOString() ?? '-infinity',
    filter.until?.toISOString() ?? 'infinity',
    filter.taskName ?? null,
  ];
}

const DEAD_RUNS = `
FROM run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND r.phase = 'dead' AND r.state = ANY ($2::text[])
  AND r.scheduled_for >= $3::timestamptz AND r.scheduled_for < $4::timestamptz
  AND ($5::text IS NULL OR t.name = $5) AND t.deleted_at IS NULL
  AND NOT EXISTS (SELECT FROM run o WHERE o.rerun_of = r.id)`;
