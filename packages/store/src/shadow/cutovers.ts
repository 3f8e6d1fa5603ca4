import type { CutoverAnswer, CutoverState, Side } from '@escapement/core/shadow';
import { type Database, query } from '../postgres/database.ts';

/** From an instant on a line is run by the other side. */
export interface Cutover {
  id: string;
  line: string;
  taskId: string;
  host: string;
  to: Side;
  at: Date;
  state: CutoverState;
  askedBy: string;
  askedAt: Date;
  reason: string | null;
  /** What a person has said in the host's place. */
  settled: CutoverAnswer | null;
  settledBy: string | null;
  /** What the host has said: it counts more. */
  answer: CutoverAnswer | null;
  /** By the clock of the host. */
  answeredAt: Date | null;
}

const COLUMNS = `c.id, c.line, c.task_id AS "taskId", c.host, c.to_side AS to, c.at, c.state, c.asked_by AS "askedBy", c.asked_at AS "askedAt",
  c.reason, c.settled, c.settled_by AS "settledBy", c.answer, c.answered_at AS "answeredAt"`;

type Row = Cutover & { [column: string]: unknown };

/** All cut-overs of these lines, in the order in which they were asked for. */
export async function cutoversOf(db: Database, lines: readonly string[]): Promise<Cutover[]> {
  return await query<Row>(
    db.pool,
    'cutovers_of',
    `SELECT ${COLUMNS} FROM cron_cutover c WHERE c.namespace = $1 AND c.line = ANY ($2::text[]) ORDER BY c.asked_at, c.at, c.id`,
    [db.namespace, lines],
  );
}

/** Null: there is none. */
export async function findCutover(db: Database, id: string): Promise<Cutover | null> {
  const [row] = await query<Row>(
    db.pool,
    'find_cutover',
    `SELECT ${COLUMNS} FROM cron_cutover c WHERE c.namespace = $1 AND c.id = $2`,
    [db.namespace, id],
  );
  return row ?? null;
}

/** A line that a sender has started, and when last. */
export interface StartedLine {
  line: string;
  lastStartedAt: Date;
}

/**
 * What a host has not answered, of lines that the sender has started last: where a later start is known, another user or folder of that host
 * starts the line.
 */
export async function unansweredCutovers(
  db: Database,
  { host, lines }: { host: string; lines: readonly StartedLine[] },
): Promise<Cutover[]> {
  if (lines.length === 0) return [];
  return await query<Row>(db.pool, 'unanswered_cutovers', UNANSWERED, [
    db.namespace,
    host,
    lines.map(({ line }) => line),
    lines.map(({ lastStartedAt }) => lastStartedAt.toISOString()),
  ]);
}

const UNANSWERED = `
SELECT ${COLUMNS} FROM unnest($3::text[], $4::timestamptz[]) AS i(line, last_started_at)
JOIN cron_cutover c ON c.namespace = $1 AND c.line = i.line
WHERE c.host = $2 AND c.answer IS NULL AND i.last_started_at >= coalesce((
  SELECT r.started_at FROM cron_report r WHERE r.namespace = $1 AND r.line = c.line AND r.host = $2 ORDER BY r.started_at DESC LIMIT 1), '-infinity')
ORDER BY c.asked_at, c.id`;
