import { randomUUID } from 'node:crypto';
import { type Database, query } from '../postgres/database.ts';
import { isCancelled, isEdited, isFrozen, isInOtherPool, isOfDeletedTask, isPaused } from './admission.ts';
import { type FoundRun, finishAsFound } from './finish-as-found.ts';
import type { RunCursor } from './queued-runs.ts';
import { whyNotBegun } from './why-not-begun.ts';

/** A worker that is there writes the end itself; after this long none is. */
const OVERDUE = `now() - interval '1 s'`;

export interface DecidedLook {
  /** Runs that a begin would end. */
  runs: FoundRun[];
  /** Runs whose task has gone to another pool. */
  behind: FoundRun[];
  /** There may be more behind it; undefined: this was the rest. */
  next: RunCursor | undefined;
}

/** Looks at the next `lookAt` queued and overdue runs behind `after`, for those that their task or a freeze has ended, or sent elsewhere. */
export async function findDecidedRuns(
  db: Database,
  { lookAt, after }: { lookAt: number; after?: RunCursor | undefined },
): Promise<DecidedLook> {
  const rows = await query<DecidedRow>(db.hot, 'decided_runs', DECIDED_RUNS, [
    db.namespace,
    after?.dueAt.toISOString() ?? db.openFrom.runs,
    after?.id ?? '00000000-0000-0000-0000-000000000000',
    lookAt,
  ]);
  const last = rows.find(({ is_last }) => is_last);
  return {
    runs: rows.filter(({ is_decided }) => is_decided),
    behind: rows.filter(({ is_decided, is_behind }) => is_behind && !is_decided),
    next: last && { dueAt: last.due_at, id: last.id },
  };
}

interface DecidedRow extends FoundRun {
  [column: string]: unknown;
  due_at: Date;
  is_decided: boolean;
  is_behind: boolean;
  /** As many as were asked for end here. */
  is_last: boolean;
}

/** Ends these runs as a begin would, if they are as they were found. Returns how many. */
export async function finishDecidedRuns(db: Database, runs: readonly FoundRun[]): Promise<number> {
  const asked = runs.map(({ id, scheduled_for, dispatch }) => ({
    ...{ runId: id, scheduledFor: scheduled_for, dispatch, slot: null, beginId: randomUUID() },
  }));
  const ends = await whyNotBegun(db, asked);
  const decided = runs.flatMap((run, index) => {
    const end = ends.get(asked[index]?.beginId ?? '');
    return end?.kind === 'ended' ? [{ ...run, end }] : [];
  });
  if (decided.length === 0) return 0;
  return await finishAsFound(db, decided, ({ end }) => ({ to: end.state, reason: end.reason }));
}

const DECIDED_RUNS = `
SELECT o.* FROM (
  SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.due_at, row_number() OVER (ORDER BY r.due_at, r.id) = $4 AS is_last,
    NOT ${isCancelled('r')} AND (${isOfDeletedTask('r', 't')} OR ${isEdited('r', 't')} OR ${isFrozen('r')} OR ${isPaused('r')}) AS is_decided,
    ${isInOtherPool('r', 't')} AS is_behind
  FROM (SELECT l.* FROM run l WHERE l.namespace = $1 AND l.phase = 'live' AND l.state = 'queued' AND l.due_at < ${OVERDUE}
      AND (l.due_at, l.id) > ($2::timestamptz, $3::uuid) ORDER BY l.due_at, l.id LIMIT $4::integer) r
  CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = r.task_id OFFSET 0) t
) o WHERE o.is_decided OR o.is_behind OR o.is_last`;
