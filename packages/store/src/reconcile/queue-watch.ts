import { type Database, query } from '../database.ts';

/** Whether the queue may lack jobs of the ledger's runs: true while `requested` is ahead of `completed`. */
export interface ResyncState {
  requested: number;
  completed: number;
}

export interface MarkerSeen {
  /** What Redis said the marker was; null: it had none. */
  found: string | null;
  /** The run id of that Redis. */
  server: string;
  /** What the marker is from now on. */
  marker: string;
}

/** Notes the new marker, and requests a resync if the old one was not the one noted before, or in another server. */
export async function noteMarker(db: Database, seen: MarkerSeen): Promise<ResyncState> {
  const [row] = await query<{ resync_requested: number; resync_completed: number }>(
    db.hot,
    'note_marker',
    `INSERT INTO queue_watch AS w (namespace, marker, server) VALUES ($1, $4, $3)
     ON CONFLICT (namespace) DO UPDATE SET marker = $4, server = $3,
       resync_requested = w.resync_requested + (w.marker IS DISTINCT FROM $2 OR w.server <> $3)::integer
     RETURNING resync_requested, resync_completed`,
    [db.namespace, seen.found, seen.server, seen.marker],
  );
  if (!row) throw new Error('the marker was not noted');
  return { requested: row.resync_requested, completed: row.resync_completed };
}

/** Has the whole queue compared with the ledger, though the marker is right. */
export async function requestResync(db: Database): Promise<void> {
  await query(
    db.hot,
    'request_resync',
    'UPDATE queue_watch SET resync_requested = resync_requested + 1 WHERE namespace = $1',
    [db.namespace],
  );
}

/** Notes that all was compared since the resync of that number was requested. */
export async function completeResync(db: Database, request: number): Promise<void> {
  await query(
    db.hot,
    'complete_resync',
    'UPDATE queue_watch SET resync_completed = greatest(resync_completed, $2) WHERE namespace = $1',
    [db.namespace, request],
  );
}
