import { type Database, query } from '../postgres/database.ts';

/** What a bulk action did to one run or task, as the audit has it. */
export interface ActionOfRequest {
  /** Of its entry in the audit: later ones have greater ones. */
  id: number;
  at: Date;
  action: string;
  /** Null: it was done to a task. */
  runId: string | null;
  /** Null: it was done to a run. */
  taskName: string | null;
  /** The run that was made of it: the rerun of a run, the run of a task that was triggered. Null: none was. */
  newRunId: string | null;
}

/** What a bulk action was done to, the earliest first; `afterId`: behind this entry, null: from the first on. */
export async function actionsOfRequest(
  db: Database,
  { requestId, afterId, limit }: { requestId: string; afterId: number | null; limit: number },
): Promise<ActionOfRequest[]> {
  return await query<ActionOfRequest & { [column: string]: unknown }>(db.pool, 'acts_of_request', ACTIONS_OF_REQUEST, [
    db.namespace,
    requestId,
    afterId ?? 0,
    limit,
  ]);
}

/** Where a run was said to be run again, its rerun has an entry of its own. */
const ACTIONS_OF_REQUEST = `
SELECT a.id::float8 AS id, a.at, a.action,
  CASE WHEN a.subject LIKE 'run:%' THEN substr(a.subject, 5) END AS "runId",
  CASE WHEN a.subject LIKE 'task:%' THEN substr(a.subject, 6) END AS "taskName",
  coalesce(a.detail->>'rerun', a.detail->>'run') AS "newRunId"
FROM audit a
WHERE a.namespace = $1 AND a.request_id = $2 AND a.id > $3::bigint AND NOT a.refused
  AND (a.subject LIKE 'run:%' OR a.subject LIKE 'task:%') AND NOT (a.action = 'resolve' AND a.detail->>'as' = 'rerun')
ORDER BY a.id LIMIT $4`;
