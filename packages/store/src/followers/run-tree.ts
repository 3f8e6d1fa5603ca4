import type { RunOrigin, RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** A run among those that caused it and those that it caused. */
export interface TreeRun {
  id: string;
  taskName: string;
  origin: RunOrigin;
  state: RunState;
  reason: string | null;
  attempt: number;
  scheduledFor: Date;
  dueAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** The run that it follows, or is a child of; null: none. */
  causeRunId: string | null;
  /** Which of those that follow that run it is; -1: the next one of its task. Null: none of them. */
  ordinal: number | null;
  rerunOf: string | null;
  /** The batch that it is a child of. */
  batchId: string | null;
  /** What its task heard of, for a lifecycle run: `onFailure`. */
  event: string | null;
}

/** What is still to be done about a run. */
export interface OpenOutboxEntry {
  runId: string;
  event: 'started' | 'finished' | 'chain' | 'next';
  /** When it is tried, or tried again. */
  notBefore: Date;
  tries: number;
  error: string | null;
  /** Null: it is tried again. */
  givenUpAt: Date | null;
}

/** Runs that a run has caused beyond those that are listed, by state. */
export interface MoreRuns {
  runId: string;
  counts: Partial<Record<RunState, number>>;
}

export interface RunTree {
  /** The first cause first; the others after the run that caused them. */
  runs: TreeRun[];
  followersOutbox: OpenOutboxEntry[];
  more: MoreRuns[];
}

/** Runs listed of those that one run has caused. */
const MAX_CHILDREN = 50;
const MAX_RUNS = 1000;

/** All that goes back to the same first cause as a run: chains, lifecycle, reruns, children of batches. Null: no such run. */
export async function readRunTree(db: Database, id: string): Promise<RunTree | null> {
  const [top] = await query<{ id: string }>(db.pool, 'first_cause', FIRST_CAUSE, [db.namespace, id]);
  return top ? await readFrom(db, top.id, MAX_RUNS) : null;
}

/** A run with what it has caused itself. */
export async function readFollowers(db: Database, id: string): Promise<RunTree> {
  return await readFrom(db, id, MAX_CHILDREN + 1, 1);
}

async function readFrom(db: Database, rootId: string, limit: number, levels = MAX_RUNS): Promise<RunTree> {
  const rows = await query<Row>(db.pool, 'run_tree', RUN_TREE, [db.namespace, rootId, levels, MAX_CHILDREN, limit]);
  const runs = rows.map(toTreeRun);
  const ids = runs.map((run) => run.id);
  return {
    runs,
    followersOutbox: await openOutboxEntries(db, levels === 1 ? [rootId] : ids),
    more: await moreRuns(db, runs),
  };
}

/** Those that have so many children that some are left out. */
async function moreRuns(db: Database, runs: readonly TreeRun[]): Promise<MoreRuns[]> {
  const listed = new Map<string, TreeRun[]>();
  for (const run of runs) {
    const children = run.causeRunId === null ? undefined : (listed.get(run.causeRunId) ?? []);
    if (children && run.causeRunId !== null) listed.set(run.causeRunId, [...children, run]);
  }
  const full = [...listed].filter(([, children]) => children.length >= MAX_CHILDREN);
  // Equivalent mutant (guard removed): it saves a question: no runs have no children.
  if (full.length === 0) return [];
  const rows = await query<{ run_id: string; state: RunState; count: number }>(
    db.pool,
    'count_children',
    COUNT_CHILDREN,
    [full.map(([id]) => id), db.namespace],
  );
  return full.flatMap(([runId, children]) => {
    const counts: MoreRuns['counts'] = {};
    for (const { run_id, state, count } of rows) if (run_id === runId) counts[state] = count;
    for (const { state } of children) counts[state] = Math.max(0, (counts[state] ?? 0) - 1);
    const left = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    return Object.keys(left).length > 0 ? [{ runId, counts: left }] : [];
  });
}

async function openOutboxEntries(db: Database, runIds: readonly string[]): Promise<OpenOutboxEntry[]> {
  const rows = await query<{
    run_id: string;
    event: OpenOutboxEntry['event'];
    not_before: Date;
    tries: number;
    error: string | null;
    given_up_at: Date | null;
  }>(
    db.pool,
    'open_outbox_entries',
    `SELECT run_id, event, CASE event WHEN 'next' THEN not_before + interval '1 minute' ELSE not_before END AS not_before,
       tries, error, given_up_at
     FROM followers_outbox WHERE namespace = $2 AND run_id = ANY ($1::uuid[]) ORDER BY id`,
    [runIds, db.namespace],
  );
  return rows.map((row) => ({
    runId: row.run_id,
    event: row.event,
    notBefore: row.not_before,
    tries: row.tries,
    error: row.error,
    givenUpAt: row.given_up_at,
  }));
}

interface Row {
  id: string;
  task_name: string;
  origin: RunOrigin;
  state: RunState;
  reason: string | null;
  attempt: number;
  scheduled_for: Date;
  due_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  cause_run_id: string | null;
  ordinal: number | null;
  rerun_of: string | null;
  batch_id: string | null;
  event: string | null;
}

function toTreeRun(row: Row): TreeRun {
  return {
    id: row.id,
    taskName: row.task_name,
    origin: row.origin,
    state: row.state,
    reason: row.reason,
    attempt: row.attempt,
    scheduledFor: row.scheduled_for,
    dueAt: row.due_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    causeRunId: row.cause_run_id,
    ordinal: row.ordinal,
    rerunOf: row.rerun_of,
    batchId: row.batch_id,
    event: row.event,
  };
}

// An id begins the primary key of each partition. Where a cause was pruned the way ends.
const FIRST_CAUSE = `
WITH RECURSIVE up AS (
  SELECT r.id, coalesce(r.cause_run_id, r.rerun_of) AS cause, 0 AS level FROM any_run r WHERE r.namespace = $1 AND r.id = $2
  UNION ALL
  SELECT r.id, coalesce(r.cause_run_id, r.rerun_of), u.level + 1 FROM up u JOIN any_run r ON r.id = u.cause AND r.namespace = $1
  WHERE u.level < ${MAX_RUNS}
)
SELECT id FROM up ORDER BY level DESC LIMIT 1`;

const RUN_TREE = `
WITH RECURSIVE down AS (
  SELECT r.id, r.scheduled_for, 0 AS level FROM any_run r WHERE r.namespace = $1 AND r.id = $2
  UNION ALL
  SELECT c.id, c.scheduled_for, d.level + 1 FROM down d CROSS JOIN LATERAL (
    (SELECT c.id, c.scheduled_for FROM any_run c WHERE c.cause_run_id = d.id AND c.namespace = $1 ORDER BY c.ordinal, c.id LIMIT $4)
    UNION ALL
    (SELECT c.id, c.scheduled_for FROM any_run c WHERE c.rerun_of = d.id AND c.namespace = $1 ORDER BY c.created_at, c.id LIMIT $4)
  ) c
  WHERE d.level < $3
), listed AS (
  SELECT * FROM down LIMIT $5
)
SELECT r.id, t.name AS task_name, r.origin, r.state, r.reason, r.attempt, r.scheduled_for, r.due_at, r.started_at,
  r.finished_at, r.cause_run_id, r.ordinal, r.rerun_of, r.batch_id,
  CASE r.origin WHEN 'lifecycle' THEN r.payload->>'event' END AS event
FROM listed l JOIN any_run r ON r.id = l.id AND r.scheduled_for = l.scheduled_for JOIN task t ON t.id = r.task_id
ORDER BY l.level, r.ordinal, r.created_at, r.id`;

const COUNT_CHILDREN = `
SELECT r.cause_run_id AS run_id, r.state, count(*)::integer AS count FROM any_run r
WHERE r.namespace = $2 AND r.cause_run_id = ANY ($1::uuid[]) GROUP BY r.cause_run_id, r.state`;
