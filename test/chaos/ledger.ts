import { OPEN_STATES, RUN_ORIGINS, RUN_STATES, type RunState, SECOND } from '@escapement/core';
import type { RunRef } from '@escapement/queue';
import { openDatabase } from '@escapement/store';
import { z } from 'zod';
import type { LedgerRun, Move } from './evidence.ts';

/** The ledger, seen from outside: by SQL, with a history that the test's own trigger writes. */
export interface LedgerView {
  /** From now on each write to a run's row is kept, in the transaction that makes it. */
  keepHistory(): Promise<void>;
  runs(): Promise<LedgerRun[]>;
  moves(): Promise<Move[]>;
  /** When each task took effect, by name. */
  effective(): Promise<Map<string, number>>;
  /** Runs of a task that have been running for less than `maxAgeMs`, with their workers. */
  running(task: string, maxAgeMs: number): Promise<{ worker: string }[]>;
  activeOn(worker: string): Promise<string[]>;
  /** What is overdue, or held by the dead, or by nobody. */
  amiss(seen: { dead: readonly string[]; leaseMs: number }): Promise<string[]>;
  /** Runs that the queue should hold. */
  queued(): Promise<RunRef[]>;
  /** Runs that are at work, or have just ended. */
  recent(): Promise<RunRef[]>;
  /** Those of the runs that have ended, or are not in the ledger. */
  over(runIds: readonly string[]): Promise<Set<string>>;
  /** How many runs of a task are in these states. */
  count(task: string, states: readonly RunState[]): Promise<number>;
  /** Any statement. */
  sql(text: string, values?: unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

const HISTORY = `
CREATE TABLE chaos_history (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  run_id uuid NOT NULL, from_state text, to_state text NOT NULL, key text NOT NULL, slot integer, fence bigint,
  attempt integer NOT NULL, worker text, reason text, due_at timestamptz(3) NOT NULL, started_at timestamptz(3)
);
CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO chaos_history (run_id, from_state, to_state, key, slot, fence, attempt, worker, reason, due_at, started_at)
  VALUES (NEW.id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.state END, NEW.state, NEW.key, NEW.slot, NEW.fence, NEW.attempt,
    NEW.worker, NEW.reason, NEW.due_at, NEW.started_at);
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_note AFTER INSERT OR UPDATE ON run FOR EACH ROW EXECUTE FUNCTION chaos_note();`;

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

const RUNS = `
SELECT r.id, t.name AS task, r.origin, r.state, r.reason, r.key, ${ms('r.scheduled_for')} AS "scheduledForMs",
  ${ms('r.due_at')} AS "dueMs", ${ms('r.until_at')} AS "untilMs", r.occurrences, r.attempt, r.uncounted, r.lost,
  r.blocked_by AS "blockedBy", r.cause_run_id AS "causeId"
FROM run r JOIN task t ON t.id = r.task_id ORDER BY r.scheduled_for, r.id`;

const MOVES = `
SELECT seq::float8 AS seq, ${ms('at')} AS "atMs", run_id AS "runId", from_state AS "from", to_state AS "to", key, slot,
  fence::float8 AS fence, attempt, worker, reason, ${ms('due_at')} AS "dueMs", ${ms('started_at')} AS "startedMs"
FROM chaos_history ORDER BY seq`;

/** Later than that is overdue. */
const OVERDUE_MS = 1 * SECOND;

const AMISS = `
SELECT 'run ' || r.id || ' of ' || t.name || ' is ' || r.state || ', due ' || r.due_at AS what
FROM run r JOIN task t ON t.id = r.task_id
WHERE r.state IN ('planned', 'queued', 'retrying') AND r.due_at < now() - $3 * interval '1 ms'
UNION ALL
SELECT 'run ' || r.id || ' is held by ' || r.worker || ', who is gone' FROM run r
LEFT JOIN process p ON p.id = r.worker
WHERE r.state = 'running'
  AND (r.worker = ANY ($1) OR p.id IS NULL OR p.stopped_at IS NOT NULL OR p.heartbeat_at < now() - $2 * interval '1 ms')
UNION ALL
SELECT 'run ' || r.id || ' waits for the free key ' || r.key FROM run r
WHERE r.state = 'waiting' AND NOT EXISTS (
  SELECT FROM key_slot s WHERE s.namespace = r.namespace AND s.key = r.key AND s.run_id IS NOT NULL)
  AND NOT EXISTS (SELECT FROM rate_wait w WHERE w.run_id = r.id AND w.woken_at IS NULL)
UNION ALL
SELECT 'run ' || r.id || ' has failed, and nobody has said which others failed alike' FROM run r
WHERE r.state IN ('failed', 'timed_out', 'quarantined')
  AND NOT EXISTS (SELECT FROM failure f WHERE f.namespace = r.namespace AND f.run_id = r.id AND f.fingerprint IS NOT NULL)
UNION ALL
SELECT 'run ' || f.run_id || ' is among the failures, and has not failed' FROM failure f
WHERE NOT EXISTS (SELECT FROM run r WHERE r.id = f.run_id AND r.scheduled_for = f.scheduled_for AND r.state IN ('failed', 'timed_out', 'quarantined'))
UNION ALL
SELECT 'slot ' || s.slot || ' of ' || s.key || ' is held by run ' || s.run_id || ', which is over' FROM key_slot s
LEFT JOIN run r ON r.id = s.run_id AND r.scheduled_for = s.run_scheduled_for
WHERE s.run_id IS NOT NULL AND (r.id IS NULL OR r.finished_at IS NOT NULL)`;

const RECENT = `
SELECT id AS "runId", dispatch, queue_of(pool, need) AS queue FROM run
WHERE dispatch > 0 AND (state = 'running' OR finished_at > now() - interval '3 s') ORDER BY id LIMIT 50`;

const state = z.enum(RUN_STATES);
const runRefs: z.ZodType<RunRef[]> = z.array(z.object({ runId: z.string(), dispatch: z.number(), queue: z.string() }));
const named = z.array(z.object({ what: z.string() }));
const figure = z.number().nullable();
const words = z.string().nullable();

const ledgerRun: z.ZodType<LedgerRun> = z.object({
  id: z.string(),
  task: z.string(),
  origin: z.enum(RUN_ORIGINS),
  state,
  reason: words,
  key: z.string(),
  scheduledForMs: z.number(),
  dueMs: z.number(),
  untilMs: figure,
  occurrences: z.number(),
  attempt: z.number(),
  uncounted: z.number(),
  lost: z.number(),
  blockedBy: words,
  causeId: words,
});

const move: z.ZodType<Move> = z.object({
  seq: z.number(),
  atMs: z.number(),
  runId: z.string(),
  from: state.nullable(),
  to: state,
  key: z.string(),
  slot: figure,
  fence: figure,
  attempt: z.number(),
  worker: words,
  reason: words,
  dueMs: z.number(),
  startedMs: figure,
});

export function openLedger(url: string): LedgerView {
  const db = openDatabase({ url, applicationName: 'chaos' });
  async function rows(text: string, values: unknown[] = []): Promise<unknown[]> {
    return (await db.pool.query(text, values)).rows;
  }
  return {
    keepHistory: async () => void (await rows(HISTORY)),
    runs: async () => z.array(ledgerRun).parse(await rows(RUNS)),
    moves: async () => z.array(move).parse(await rows(MOVES)),
    async effective() {
      const tasks = z.array(z.object({ name: z.string(), ms: z.number() }));
      const found = tasks.parse(await rows(`SELECT name, ${ms('effective_at')} AS ms FROM task`));
      return new Map(found.map((task) => [task.name, task.ms]));
    },
    running: async (task, maxAgeMs) =>
      z.array(z.object({ worker: z.string() })).parse(
        await rows(
          `SELECT r.worker FROM run r JOIN task t ON t.id = r.task_id
           WHERE r.state = 'running' AND t.name = $1 AND r.started_at > now() - $2 * interval '1 ms'`,
          [task, maxAgeMs],
        ),
      ),
    async activeOn(worker) {
      const held = z.array(z.object({ id: z.string() }));
      const found = held.parse(await rows(`SELECT id FROM run WHERE state = 'running' AND worker = $1`, [worker]));
      return found.map((run) => run.id);
    },
    amiss: async ({ dead, leaseMs }) =>
      named.parse(await rows(AMISS, [dead, leaseMs, OVERDUE_MS])).map(({ what }) => what),
    queued: async () =>
      runRefs.parse(
        await rows(
          `SELECT id AS "runId", dispatch, queue_of(pool, need) AS queue FROM run WHERE state = 'queued' ORDER BY due_at LIMIT 2000`,
        ),
      ),
    recent: async () => runRefs.parse(await rows(RECENT)),
    async over(runIds) {
      const open = z
        .array(z.object({ id: z.string() }))
        .parse(
          await rows('SELECT id FROM run WHERE id = ANY ($1::uuid[]) AND state = ANY ($2)', [runIds, OPEN_STATES]),
        );
      const ids = new Set(open.map(({ id }) => id));
      return new Set(runIds.filter((id) => !ids.has(id)));
    },
    async count(task, states) {
      const counted = z.array(z.object({ n: z.number() })).parse(
        await rows(
          `SELECT count(*)::integer AS n FROM run r JOIN task t ON t.id = r.task_id
           WHERE t.name LIKE $1 AND r.state = ANY ($2)`,
          [task, states],
        ),
      );
      return counted[0]?.n ?? 0;
    },
    sql: rows,
    close: () => db.close(),
  };
}
