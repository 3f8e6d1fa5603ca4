import { newRunId, type RunOrigin, type RunState, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { escapeLike } from '../postgres/like.ts';
import { ENDED_BADLY, isOpen } from '../runs/admission.ts';
import { hasWords, ofWorker } from '../runs/run-conditions.ts';

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
  /** Null, or left out: of any key. */
  key?: string | null | undefined;
  /** Those that belong to the worker of this name, or that a process with this id has begun. Null, or left out: of any. */
  worker?: string | null | undefined;
  /** Null, or left out: wherever they came from. */
  origins?: readonly RunOrigin[] | null | undefined;
  /** Words of the reason or the error, in letters of any case. Null, or left out: whatever they are. */
  error?: string | null | undefined;
  /** The words are looked for in reasons alone. Default false. */
  reasonsOnly?: boolean | undefined;
}

/**
 * `open`: not ended. `ended`: for good, when it was asked for, and not a stretch. `dead`: ended badly, and not run again yet. `unknown`:
 * nobody knows what became of it.
 */
export type RunKind = 'open' | 'ended' | 'dead' | 'unknown';

/** The ids of a selection behind a run, in the order of their time. */
export async function chooseRuns(
  db: Database,
  kind: RunKind,
  which: RunSelection,
  page: { after: string | null; limit: number },
): Promise<string[]> {
  const after = page.after ?? idBefore(which.since);
  const values = [...parametersOf(db, which), scheduledForOf(after).toISOString(), after, page.limit];
  const more = moreOf(which, values);
  const choice = `SELECT r.id, r.scheduled_for ${FROM(kind)}${more} AND ${AFTER[kind]} LIMIT $9`;
  // The index run_phase has each state in the order of its runs: of each so many, and of these the first.
  const text =
    kind === 'dead'
      ? `SELECT s.id FROM unnest($2::text[]) AS w(state) CROSS JOIN LATERAL (${choice}) s ORDER BY s.scheduled_for, s.id LIMIT $9`
      : choice;
  const rows = await query<{ id: string }>(db.pool, nameOf('choose', kind, more), text, values);
  return rows.map(({ id }) => id);
}

/** Bounds that few ask for are planned anew each time: a plan for all of them would be good for none. */
function nameOf(verb: 'choose' | 'count', kind: RunKind, more: string): string {
  return more === '' ? `${verb}_${kind}_runs` : '';
}

/** The bounds that few ask for, after the others; their values are added. */
function moreOf({ key, worker, origins, error, reasonsOnly = false }: RunSelection, values: unknown[]): string {
  return [
    ...(key == null ? [] : [`r.key = $${values.push(key)}::text`]),
    ...(worker == null ? [] : [ofWorker(`$${values.push(worker)}::text`)]),
    ...(origins == null ? [] : [`r.origin = ANY ($${values.push(origins)}::text[])`]),
    ...(error == null ? [] : [hasWords('r', `$${values.push(escapeLike(error))}::text`, { reasonsOnly })]),
  ]
    .map((condition) => ` AND ${condition}`)
    .join('');
}

/** An id before those of all runs that are scheduled then or later; null: before all. */
function idBefore(since: string | null): string {
  const sinceMs = since === null ? 0 : Date.parse(since) - 1;
  return newRunId(new Date(Math.max(0, sinceMs)), new Uint8Array(10));
}

/** How many runs a selection finds. */
export async function countChosen(db: Database, kind: RunKind, which: RunSelection): Promise<number> {
  const values = parametersOf(db, which);
  const more = moreOf(which, values);
  const count = `SELECT count(*)::integer AS count ${FROM(kind)}${more}`;
  const text =
    kind === 'dead'
      ? `SELECT coalesce(sum(s.count), 0)::integer AS count FROM unnest($2::text[]) AS w(state) CROSS JOIN LATERAL (${count}) s`
      : count;
  const [row] = await query<{ count: number }>(db.pool, nameOf('count', kind, more), text, values);
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

const BY_TIME = '(r.scheduled_for, r.id) > ($7::timestamptz, $8::uuid) ORDER BY r.scheduled_for, r.id';

const AFTER: Record<RunKind, string> = {
  open: BY_ID,
  ended: BY_ID,
  dead: BY_TIME,
  unknown: BY_TIME,
};

const CONDITIONS: Record<RunKind, string> = {
  // Postgres wants to know the type of each parameter.
  open: `${isOpen('r')} AND $6::timestamptz IS NOT NULL`,
  ended: ENDED,
  dead: `${ENDED} AND r.phase = w.state AND r.phase IN (${ENDED_BADLY})
    AND NOT EXISTS (SELECT FROM any_run o WHERE o.rerun_of = r.id AND o.namespace = $1)`,
  unknown: `r.phase = 'unknown' AND $6::timestamptz IS NOT NULL`,
};

const FROM = (kind: RunKind) => `FROM any_run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND r.state = ANY ($2::text[]) AND r.scheduled_for >= $3::timestamptz
  AND r.scheduled_for < $4::timestamptz AND ($5::text[] IS NULL OR t.name = ANY ($5)) AND ${CONDITIONS[kind]}`;
