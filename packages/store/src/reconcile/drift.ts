import type { DriftCounts, DriftKind } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** What the reconciler had to put right of one kind. */
export interface DriftRecord {
  kind: DriftKind;
  /** When it last found some, and how many in that pass. */
  foundAt: Date;
  found: number;
  /** Ever. */
  total: bigint;
}

/** Adds the repairs of a pass to the table `drift`. */
export async function recordDrift(db: Database, counts: DriftCounts): Promise<void> {
  const found = Object.entries(counts);
  await query(
    db.hot,
    'record_drift',
    `INSERT INTO drift AS d (namespace, kind, found_at, found, total)
     SELECT $1, i.kind, now(), i.found, i.found FROM unnest($2::text[], $3::integer[]) AS i(kind, found) ORDER BY i.kind
     ON CONFLICT (namespace, kind) DO UPDATE SET found_at = now(), found = excluded.found, total = d.total + excluded.found`,
    [db.namespace, found.map(([kind]) => kind), found.map(([, count]) => count)],
  );
}

/** The record of each kind that was ever found. */
export async function readDrift(db: Database): Promise<DriftRecord[]> {
  const rows = await query<{ kind: DriftKind; found_at: Date; found: number; total: bigint }>(
    db.pool,
    'read_drift',
    'SELECT kind, found_at, found, total FROM drift WHERE namespace = $1 ORDER BY kind',
    [db.namespace],
  );
  return rows.map(({ found_at: foundAt, ...row }) => ({ ...row, foundAt }));
}
