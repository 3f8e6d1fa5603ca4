import type { LabelFilter } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { hasLabels, toSelectors } from '../tasks/task-labels.ts';
import { RUN_VIEW, type RunRow, type RunView, toRunView } from './read-runs.ts';

/** The runs that run now, of tasks with these labels, the one that began first before the others. What is going on is little: all of it is looked at. */
export async function longestRunning(
  db: Database,
  { labels, limit }: { labels?: LabelFilter | undefined; limit: number },
): Promise<RunView[]> {
  const values = [db.namespace, limit, ...(labels ? [toSelectors(labels)] : [])];
  const name = labels ? 'longest_running_labels' : 'longest_running';
  const rows = await query<RunRow>(db.pool, name, longest(labels ? `AND ${OF_TASKS}` : ''), values);
  return rows.map(toRunView);
}

const OF_TASKS = `(r.task_id IN (SELECT t.id FROM task t WHERE t.namespace = $1 AND ${hasLabels('t', '$3')})) IS TRUE`;
const ORDER = 'ORDER BY r.started_at, r.id';

const longest = (ofTasks: string): string => `
WITH longest AS MATERIALIZED (
  SELECT r.id, r.scheduled_for FROM run r
  WHERE r.namespace = $1 AND r.phase = 'live' AND r.state = 'running' AND r.due_at <= now() ${ofTasks} ${ORDER} LIMIT $2)
SELECT ${RUN_VIEW}
FROM longest l JOIN run r ON r.id = ANY (ARRAY[l.id]) AND r.scheduled_for = l.scheduled_for JOIN task t ON t.id = r.task_id
${ORDER}`;
