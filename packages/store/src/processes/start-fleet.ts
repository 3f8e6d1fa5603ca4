import { type Database, query } from '../postgres/database.ts';
import { RATE_KEY } from '../rates/rate-key.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

/** No scheduler has sent a heartbeat for so long: the fleet was down, as a host is before it boots. Milliseconds. */
const FLEET_DOWN_MS = 60_000;

/** A task that runs once when the fleet comes up (`@reboot` of a crontab). */
export interface FleetStartTask {
  id: string;
  name: string;
}

/** Tasks that run when the fleet comes up; not those in the shadow of cron. */
export async function fleetStartTasks(db: Database): Promise<FleetStartTask[]> {
  return await query<{ id: string; name: string }>(
    db.pool,
    'fleet_start_tasks',
    `SELECT id, name FROM task WHERE namespace = $1 AND deleted_at IS NULL AND definition @> '{"onFleetStart": true}' AND NOT definition ? 'shadow'
     ORDER BY name`,
    [db.namespace],
  );
}

export interface FleetStartRun {
  id: string;
  scheduledFor: Date;
  taskId: string;
  key: string;
}

/**
 * Inserts these runs if the fleet has just come up, once however many schedulers ask at the same time. Returns the
 * names of the tasks.
 */
export async function startFleet(db: Database, processId: string, runs: readonly FleetStartRun[]): Promise<string[]> {
  const rows = await query<{ name: string }>(db.pool, 'start_fleet', START_FLEET, [
    db.namespace,
    processId,
    FLEET_DOWN_MS,
    runs.map((run) => run.id),
    runs.map((run) => run.scheduledFor.toISOString()),
    runs.map((run) => run.taskId),
    runs.map((run) => run.key),
  ]);
  return rows.map((row) => row.name);
}

const START_FLEET = `
WITH down AS (
  SELECT NOT EXISTS (SELECT FROM process WHERE namespace = $1 AND role = 'scheduler' AND id <> $2
    AND heartbeat_at > now() - $3 * interval '1 ms') AS yes
), passed AS (
  INSERT INTO cluster_lock AS l (namespace, name, taken_at) SELECT $1, 'fleet_start', now() FROM down WHERE yes
  ON CONFLICT (namespace, name) DO UPDATE SET taken_at = now() WHERE l.taken_at <= now() - $3 * interval '1 ms'
  RETURNING 1
), inserted AS (
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
    overlap, pool, need, due_at, start_by, requested_by, rate_key)
  SELECT i.id, i.scheduled_for, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'planned', i.key, t.key_limit,
    t.overlap, t.pool, t.need, i.scheduled_for, i.scheduled_for + t.start_deadline_ms * interval '1 ms', 'fleet start',
    ${RATE_KEY('t')}
  FROM passed, unnest($4::uuid[], $5::timestamptz[], $6::uuid[], $7::text[]) AS i(id, scheduled_for, task_id, key)
  JOIN task t ON t.id = i.task_id AND t.namespace = $1 AND t.deleted_at IS NULL
  RETURNING task_id
)
SELECT t.name, pg_notify('${WAKE_CHANNEL}', $1) FROM inserted i JOIN task t ON t.id = i.task_id ORDER BY t.name`;
