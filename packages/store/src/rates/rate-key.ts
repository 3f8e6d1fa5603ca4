/**
 * SQL for the key under which the starts of a new run are counted, of its task's row and its own payload; null where the
 * task has no rate. Nothing else of the task is read then.
 */
export const RATE_KEY = (task: string, payload = 'NULL::jsonb') =>
  `CASE WHEN ${task}.rate_key IS NOT NULL THEN rate_key_of(${task}.rate_key, coalesce(${payload}, ${task}.definition->'payload')) END`;
