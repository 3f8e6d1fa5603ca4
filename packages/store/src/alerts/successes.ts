import { type Database, query } from '../postgres/database.ts';
import { type TaskForAlert, taskForAlert } from './facts.ts';

/** A run that has succeeded. */
export interface SucceededRun {
  id: string;
  scheduledFor: Date;
  tookMs: number;
  finishedAt: Date;
  task: TaskForAlert;
}

/** Planned anew each time: a plan for any time would read the ledger as a whole. */
const NEVER_PREPARED = '';

/** Runs that have succeeded behind a place in their order by end, or since an instant: a page. */
export async function successesSince(
  db: Database,
  { after, limit }: { after: { finishedAt: Date; id?: string }; limit: number },
): Promise<SucceededRun[]> {
  return await query<SucceededRun & { [column: string]: unknown }>(
    db.pool,
    NEVER_PREPARED,
    `SELECT r.id, r.scheduled_for AS "scheduledFor", round(extract(epoch FROM r.finished_at - r.started_at) * 1000)::float8 AS "tookMs",
       r.finished_at AS "finishedAt", ${taskForAlert('t')} AS task
     FROM any_run r JOIN task t ON t.id = r.task_id
     WHERE r.namespace = $1 AND r.state = 'succeeded' AND r.started_at IS NOT NULL AND r.finished_at >= $2
       AND ($3::uuid IS NULL OR (r.finished_at, r.id) > ($2, $3::uuid))
     ORDER BY r.finished_at, r.id LIMIT $4`,
    [db.namespace, after.finishedAt.toISOString(), after.id ?? null, limit],
  );
}

/** What a rule asks of the output and the log of a run. */
export interface SuccessQuestion {
  id: string;
  scheduledFor: Date;
  /** A predicate of SQL/JSON path; null: it is not asked. */
  output: string | null;
  logHas: string | null;
  logLacks: string | null;
}

export interface SuccessAnswer {
  logBytes: number;
  /** Null: it was not asked. An error of the predicate is false. */
  outputHolds: boolean | null;
  logHas: boolean | null;
  logLacks: boolean | null;
}

/** Of a log so much is compared, from its end. */
const LOG_CHARACTERS = 65_536;

/** Looks at output and log of runs, in the order asked. */
export async function lookAtSuccesses(db: Database, questions: readonly SuccessQuestion[]): Promise<SuccessAnswer[]> {
  return await query<SuccessAnswer & { [column: string]: unknown }>(db.pool, 'look_at_successes', LOOK, [
    db.namespace,
    JSON.stringify(questions),
  ]);
}

const LOOK = `
SELECT coalesce(l.bytes, 0)::float8 AS "logBytes",
  CASE WHEN i.output IS NOT NULL THEN coalesce(jsonb_path_match_tz(r.output, i.output::jsonpath, silent => true), false) END AS "outputHolds",
  CASE WHEN i."logHas" IS NOT NULL THEN coalesce(l.tail, '') ~ i."logHas" END AS "logHas",
  CASE WHEN i."logLacks" IS NOT NULL THEN coalesce(l.tail, '') !~ i."logLacks" END AS "logLacks"
FROM ROWS FROM (jsonb_to_recordset($2::jsonb) AS (id uuid, "scheduledFor" timestamptz, output text, "logHas" text, "logLacks" text))
  WITH ORDINALITY AS i(id, "scheduledFor", output, "logHas", "logLacks", place)
LEFT JOIN any_run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i."scheduledFor" AND r.namespace = $1
LEFT JOIN LATERAL (
  SELECT sum(octet_length(c.text)) AS bytes, right(string_agg(c.text, '' ORDER BY c.attempt, c.seq), ${LOG_CHARACTERS}) AS tail
  FROM run_log_chunk c WHERE c.run_id = r.id AND c.attempt = r.attempt
) l ON true
ORDER BY i.place`;

/** Why Postgres cannot read an expression, or could not evaluate it; null: it can. */
export async function expressionError(db: Database, kind: 'jsonpath' | 'regex', text: string): Promise<string | null> {
  try {
    const sql = kind === 'jsonpath' ? 'SELECT $1::jsonpath::text AS read' : `SELECT ('' ~ $1)::text AS read`;
    const [row] = await query<{ read: string }>(db.pool, `parse_${kind}`, sql, [text]);
    return kind === 'jsonpath' ? variableError(row?.read ?? '') : null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
    // 22: of the value; 42601: of its syntax.
    if (error instanceof Error && /^(22|42601|2201B)/.test(code)) return error.message;
    throw error;
  }
}

/** A text, or a variable, of a path as Postgres writes it. */
const QUOTED = /\$?"(?:[^"\\]|\\.)*"/g;

/** A variable has no value here, and that is an error even where a path is asked to be silent. */
function variableError(path: string): string | null {
  const variable = path.match(QUOTED)?.find((each) => each.startsWith('$'));
  const name = variable?.slice(2, -1);
  return name === undefined ? null : `there is no variable $${name}; a field of the output is $.${name}`;
}
