import { newRunId, type RunState, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { ENDED_BADLY, isOpen } from '../runs/admission.ts';

/** Which runs, all bounds together. */
export interface RunSelection {
  /** Of these tasks only, by name; null: of all. */
  tasks: readonly string[] | null;
  states: readonly RunState[];
  /** Scheduled then or later, ISO 8601; null: no bound. */
  since: string | null;
  /** Scheduled before then, ISO 8601. */
  until: string;
  /** Of runs that have ended, those that had by then, ISO 8601. */
  askedAt: string;
}

/** `open`: not ended. `ended`: for good, when it was asked for, and not a stretch. `dead`: ended badly, and not run again yet. */
export type RunKind = 'open' | 'ended' | 'dead';

/** The ids of a selection behind a run, in the order of their time. */
export async function chooseRuns(
  db: Database,
  kind: RunKind,
  which: RunSelection,
  page: { after: string | null; limit: number },
): Promise<string[]> {
  const choice = `SELECT r.id, r.scheduled_for ${FROM(kind)} AND ${AFTER[kind]} LIMIT $9`;
  // The index run_phase has each state in the order of its runs: of each so many, and of these the first.
  const text =
    kind === 'dead'
      ? `SELECT s.id FROM unnest($2::text[]) AS w(state) CROSS JOIN LATERAL (${choice}) s ORDER BY s.scheduled_for, s.id LIMIT $9`
      : choice;
  const after = page.after ?? idBefore(which.since);
  const rows = await query<{ id: string }>(db.pool, `choose_${kind}_runs`, text, [
    ...parametersOf(db, which),
    scheduledForOf(after).toISOString(),
    after,
    page.limit,
  ]);
  return rows.map(({ id }) => id);
}

/** An id before those of all runs that are scheduled then or later; null: before all. */
function idBefore(since: string | null): string {
  const sinceMs = since === null ? 0 : Date.parse(since) - 1;
  return newRunId(new Date(Math.max(0, sinceMs)), new Uint8Array(10));
}

/** How many runs a selection finds. */
export async function countChosen(db: Database, kind: RunKind, which: RunSelection): Promise<number> {
  const count = `SELECT count(*)::integer AS count ${FROM(kind)}`;
  const text =
    kind === 'dead'
      ? `SELECT coalesce(sum(s.count), 0)::integer AS count FROM unnest($2::text[]) AS w(state) CROSS JOIN LATERAL (${count}) s`
      : count;
  const [row] = await query<{ count: number }>(db.pool, `count_${kind}_runs`, text, parametersOf(db, which));
  return row?.count ?? 0;
}

function parametersOf(db: Database, { tasks, states, since, until, askedAt }: RunSelection): unknown[] {
  return [db.namespace, states, since ?? '-infinity', until, tasks, askedAt];
}

// What the act itself has made is not chosen again: it ends later.
const ENDED = 'r.finished_at < $6::timestamptz AND r.until_at IS NULL AND t.deleted_at IS NULL';

// An id begins with its time: the primary key has runs in their order, and a choice goes on where it was. Ended badly are so few
// that the index run_phase has them sooner.
const BY_ID = 'r.scheduled_for >= $7::timestamptz AND r.id > $8::uuid ORDER BY r.id';

const AFTER: Record<RunKind, string> = {
  open: BY_ID,
  ended: BY_ID,
  dead: '(r.scheduled_for, r.id) > ($7::timestamptz, $8::uuid) ORDER BY r.scheduled_for, r.id',
};

const CONDITIONS: Record<RunKind, string> = {
  // Postgres wants to know the type of each parameter.
  open: `${isOpen('r')} AND $6::timestamptz IS NOT NULL`,
  ended: ENDED,
  dead: `${ENDED} AND r.phase = w.state AND r.phase IN (${ENDED_BADLY})
    AND NOT EXISTS (SELECT FROM run o WHERE o.rerun_of = r.id AND o.namespace = $1)`,
};

const FROM = (kind: RunKind) => `FROM run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND r.state = ANY ($2::text[]) AND r.scheduled_for >= $3::timestamptz
  AND r.scheduled_for < $4::timestamptz AND ($5::text[] IS NULL OR t.name = ANY ($5)) AND ${CONDITIONS[kind]}`;
