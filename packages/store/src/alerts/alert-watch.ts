import { type Database, query } from '../postgres/database.ts';

export interface Watch {
  now: Date;
  /** Since when schedulers, this one or others, look without a break of a minute. */
  since: Date;
  /** Until when it has seen what succeeded. */
  endedUntil: Date;
}

/** What time it is, and when a scheduler last looked; null: none ever did. */
export async function lastLook(db: Database): Promise<Pick<Watch, 'now'> & { lookedAt: Date | null }> {
  const [row] = await query<{ now: Date; lookedAt: Date | null }>(
    db.pool,
    'last_look',
    `SELECT now()::timestamptz(3) AS now, (SELECT w.looked_at FROM alert_watch w WHERE w.namespace = $1) AS "lookedAt"`,
    [db.namespace],
  );
  if (!row) throw new TypeError('a statement without FROM answers with one row');
  return row;
}

/** Notes that a scheduler looks now. `endedUntil`: what it has seen; null: as it was. */
export async function noteLook(db: Database, endedUntil: Date | null): Promise<Watch> {
  const [row] = await query<Watch & { [column: string]: unknown }>(
    db.pool,
    'note_look',
    `INSERT INTO alert_watch AS w (namespace, looked_at, ended_until) VALUES ($1, now(), coalesce($2::timestamptz, now()))
     ON CONFLICT (namespace) DO UPDATE SET looked_at = now(), ended_until = greatest(w.ended_until, $2::timestamptz),
       watched_since = CASE WHEN w.looked_at < now() - interval '1 min' THEN now() ELSE w.watched_since END
     RETURNING now()::timestamptz(3) AS now, watched_since AS since, ended_until AS "endedUntil"`,
    [db.namespace, endedUntil?.toISOString() ?? null],
  );
  if (!row) throw new TypeError('an INSERT answers with its row');
  return row;
}

/** Of tokens that end later than so many days ahead no rule is told. */
export const TOKENS_AHEAD_DAYS = 30;

/** What rules ask of the fleet beside its figures. */
export interface FleetForAlerts {
  /** Processes whose clock is off, the furthest first: at most 20. */
  clocks: { host: string; role: string; offsetMs: number }[];
  /** Workers that have vanished without a word in the last 10 minutes. */
  lostWorkers: { id: string; host: string; heartbeatAt: string }[];
  /** What the reconciler has found in the last 10 minutes. */
  drift: { kind: string; found: number; at: string }[];
  /** 0: it was not asked. */
  databaseBytes: number;
  /** Tokens that are in use and end within TOKENS_AHEAD_DAYS. */
  tokens: { name: string; expiresAt: string; inMs: number }[];
  /** Since when no API takes pings, and how many monitors wait for some. Null: none does, or no API ever took any. */
  pings: { heardAt: string; ageMs: number; monitors: number } | null;
}

/** `size`: whether that of the database is asked; it takes a look at each of its files. */
export async function fleetForAlerts(
  db: Database,
  { deadMs, size }: { deadMs: number; size: boolean },
): Promise<FleetForAlerts> {
  const [row] = await query<{ facts: FleetForAlerts }>(db.pool, 'fleet_for_alerts', FLEET, [
    db.namespace,
    deadMs,
    size,
  ]);
  if (!row) throw new TypeError('a statement without FROM answers with one row');
  return row.facts;
}

const list = (select: string) => `coalesce((SELECT jsonb_agg(x) FROM (${select}) x), '[]')`;

const FLEET = `
SELECT jsonb_build_object(
  'clocks', ${list(`SELECT p.host, p.role, p.clock_offset_ms AS "offsetMs" FROM process p WHERE p.namespace = $1 AND p.stopped_at IS NULL
    AND p.heartbeat_at > now() - $2 * interval '1 ms' AND p.clock_offset_ms <> 0 ORDER BY abs(p.clock_offset_ms) DESC LIMIT 20`)},
  'lostWorkers', ${list(`SELECT p.id, p.host, p.heartbeat_at AS "heartbeatAt" FROM process p WHERE p.namespace = $1 AND p.role = 'worker'
    AND p.stopped_at IS NULL AND p.heartbeat_at <= now() - $2 * interval '1 ms' AND p.heartbeat_at > now() - interval '10 min' - $2 * interval '1 ms'
    ORDER BY p.heartbeat_at DESC LIMIT 20`)},
  'drift', ${list(`SELECT d.kind, d.found, d.found_at AS at FROM drift d WHERE d.namespace = $1 AND d.found_at > now() - interval '10 min' ORDER BY d.kind`)},
  'databaseBytes', CASE WHEN $3::boolean THEN pg_database_size(current_database()) ELSE 0 END,
  'tokens', ${list(`SELECT k.name, k.expires_at AS "expiresAt", round(extract(epoch FROM k.expires_at - now()) * 1000)::float8 AS "inMs" FROM access_token k
    WHERE k.namespace = $1 AND k.revoked_at IS NULL AND k.expires_at > now() AND k.expires_at < now() + interval '${TOKENS_AHEAD_DAYS} days' ORDER BY k.expires_at LIMIT 20`)},
  'pings', (SELECT jsonb_build_object('heardAt', w.heard_at, 'ageMs', round(extract(epoch FROM now() - w.heard_at) * 1000)::float8, 'monitors', h.count)
    FROM alert_watch w, (SELECT count(*) FROM monitor h WHERE h.namespace = $1 AND h.trouble_at IS NOT NULL) h
    WHERE w.namespace = $1 AND w.heard_at IS NOT NULL AND h.count > 0)
) AS facts`;
