import type { LabelFilter } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { isForAPerson } from '../shadow/handovers.ts';
import { meetsLabels, toSelectors } from '../tasks/task-labels.ts';

/** A run that waits for a person, as people look at it. */
export interface HeldRow {
  id: string;
  task: string;
  scheduledFor: Date;
  key: string;
  /** Of its task. */
  priority: number;
  /** Why it is held. */
  reason: string | null;
  /** No later run of its task is held. */
  newest: boolean;
}

/** A place in the order in which held runs go on. */
export type HeldPlace = Pick<HeldRow, 'id' | 'scheduledFor' | 'priority'>;

export interface HeldPage {
  task?: string | undefined;
  labels?: LabelFilter | undefined;
  /** Those behind it. Default: from the first on. */
  after?: HeldPlace | undefined;
  limit: number;
}

/** Held runs in the order in which they go on: by priority, the highest first, then in order of their occurrence. */
export async function listHeldRuns(db: Database, { task, labels, after, limit }: HeldPage): Promise<HeldRow[]> {
  return await query<HeldRow & { [column: string]: unknown }>(db.pool, 'list_held_runs', LIST_HELD_RUNS, [
    db.namespace,
    task ?? null,
    toSelectors(labels),
    after?.priority ?? null,
    after?.scheduledFor.toISOString() ?? null,
    after?.id ?? null,
    limit,
  ]);
}

const LIST_HELD_RUNS = `
SELECT r.id, t.name AS task, r.scheduled_for AS "scheduledFor", r.key, coalesce(t.priority, 0) AS priority, r.reason,
  NOT EXISTS (SELECT FROM run n WHERE n.task_id = r.task_id AND ${isForAPerson('n')}
    AND (n.scheduled_for, n.id) > (r.scheduled_for, r.id)) AS newest
FROM run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND ${isForAPerson('r')} AND ($2::text IS NULL OR t.name = $2) AND ${meetsLabels('t', '$3')}
  AND ($4::smallint IS NULL OR (-coalesce(t.priority, 0), r.scheduled_for, r.id) > (-$4, $5::timestamptz, $6::uuid))
ORDER BY coalesce(t.priority, 0) DESC, r.scheduled_for, r.id LIMIT $7`;
