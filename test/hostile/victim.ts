import { newRunId, SECOND, systemClock, type TaskInput } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { by } from '@escapement/testkit';

/** A task with all that can belong to one, each a row that a mutation may spoil. */
export interface Victim {
  name: string;
  taskId: string;
}

const OPEN = {
  planned: '',
  queued: '',
  waiting: ", waiting_since = now() - interval '1 min', wait_until = now() + interval '1 s'",
  retrying: ', attempt = 1',
  held: '',
  running: ", attempt = 1, worker = 'gone', started_at = now() - interval '1 min', fence = 7, slot = 1",
} as const;

const BUSY: Partial<TaskInput> = {
  schedule: { kind: 'every', everyMs: 5 * SECOND },
  catchUp: { policy: 'earliest' },
  labels: { team: 'hostile' },
  rate: { limit: 1000, perMs: 1000 },
  state: { version: 1 },
  onFailure: 'beside',
};

/** Makes a victim of this name; its rows are due at once wherever something is due. */
export async function makeVictim(db: Database, name: string): Promise<Victim> {
  const handler = { type: 'shell', command: 'true' } as const;
  const calendars = { exclude: [`calendar-${name}`] };
  await saveCalendar(db, calendars.exclude[0] ?? '');
  await saveTask(
    db,
    { ...BUSY, name, handler, calendars, payload: { a: name }, key: `${name}:{{payload.a}}` },
    { source: 'test', by: by('test') },
  );
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM task WHERE name = $1', [name]);
  const victim = { name, taskId: rows[0]?.id ?? '' };
  await db.pool.query(rowsOf(victim));
  return victim;
}

async function saveCalendar(db: Database, name: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO calendar_version (namespace, name, version, definition, created_by)
     VALUES ('default', $1, 1, '{"timeZone":"UTC","entries":[{"dates":["12-25"]}]}', 'test')`,
    [name],
  );
}

function rowsOf(victim: Victim): string {
  const { name, taskId } = victim;
  const at = new Date(systemClock.now().getTime() - 90 * SECOND);
  const runs = Object.entries(OPEN).map(([state, more], index) =>
    runOf(victim, { state, more, at: before(at, index) }),
  );
  const ended = newRunId(before(at, 100));
  const ref = `'${ended}', '${before(at, 100).toISOString()}'`;
  return `${runs.join(';')};
    ${runOf(victim, { state: 'failed', more: ', finished_at = now(), attempt = 1, started_at = now(), reason = \'no disk\', error = \'{"name":"Error","message":"no disk"}\'', at: before(at, 100), id: ended })};
    INSERT INTO failure (namespace, run_id, scheduled_for, task_id, finished_at) VALUES ('default', ${ref}, '${taskId}', now()) ON CONFLICT DO NOTHING;
    INSERT INTO alert_fact (namespace, kind, run_id, scheduled_for, task_id) VALUES ('default', 'run', ${ref}, '${taskId}');
    INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, not_before, created_at)
      VALUES ('default', ${ref}, '${taskId}', 'finished', now() - interval '1 min', now() - interval '1 min');
    INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since) VALUES ('default', '${name}:${name}', 9, 1, ${ref}, 'gone', now());
    INSERT INTO task_pause (id, task_id, from_at, until_at, created_by) VALUES (gen_random_uuid(), '${taskId}', now() - interval '1 h', now() - interval '50 min', 'test');
    INSERT INTO task_state (task_id, key, value, updated_by) VALUES ('${taskId}', '${name}:${name}', '{"a":1}', 'test');
    INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) VALUES ('${taskId}', 30, 5, 9);
    INSERT INTO task_hour_stale (namespace, task_id, hour) VALUES ('default', '${taskId}', date_trunc('hour', now()) - interval '1 h');
    INSERT INTO backfill (namespace, task_id, from_at, to_at, reprocess, concurrency, reverse, requested_by)
      VALUES ('default', '${taskId}', now() - interval '2 min', now() - interval '1 min', 'all', 2, false, 'test');
    INSERT INTO task_change (namespace, name, definition, source, created_by, effective_at)
      SELECT 'default', 'change-${name}', jsonb_set(definition, '{name}', '"change-${name}"') - 'key' - 'calendars', 'test', '{"kind":"cli","id":"t","name":"t","address":null}', now() - interval '1 s' FROM task WHERE id = '${taskId}';
    INSERT INTO request (namespace, request, asked_by, expires_at) VALUES ('default', '{"kind":"open_pool","pool":"${name}"}', '{"kind":"cli","id":"t","name":"t","address":null}', now() + interval '1 h');
    INSERT INTO alert (namespace, rule, kind, severity, subject, task_id, labels, state, summary, since, last_at, fire_at, tell)
      VALUES ('default', 'failed', 'failed', 'warning', 'task:${name}', '${taskId}', '{"task":"${name}"}', 'firing', 'failed', now(), now(), now(), 'firing');
    INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, try_at) VALUES ('default', 'people', '${name}', '{}', false, now() - interval '1 s');
    INSERT INTO alert_silence (namespace, match, until_at, note, created_by) VALUES ('default', 'task=${name}', now() + interval '1 h', 'quiet', 'test');
    INSERT INTO monitor (namespace, name, ping_hash, definition, created_by, due_at, trouble_at)
      VALUES ('default', '${name}', sha256('${name}'), '{"schedule":{"kind":"every","everyMs":60000},"graceMs":1000,"labels":{}}', 'test', now() - interval '1 h', now() - interval '59 min');
    INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ('default', '${name}', '${before(at, 100).toISOString()}', '${ended}', '${name}:${name}');
    INSERT INTO rate_bucket (namespace, rate_key, taken, most, longest_ms) VALUES ('default', '${name}', 1, 1, 1);
    INSERT INTO zone_version (namespace, name, version, rules, tz_version) VALUES ('default', 'Etc/${name}', 1, '[]', '2020a');
    INSERT INTO process (id, role, host, pid, app_version, pools, heartbeat_at) VALUES ('worker-${name}', 'worker', 'h', 1, '1', '{${name}}', now());
    UPDATE task_plan SET next_run_at = date_trunc('milliseconds', now()) - interval '100 ms', plan_seq = plan_seq + 1 WHERE task_id = '${taskId}'`;
}

interface RunRow {
  state: string;
  more: string;
  at: Date;
  id?: string;
}

/** Made as a trigger is, and moved to its state. */
function runOf({ taskId, name }: Victim, { state, more, at, id = newRunId(at) }: RunRow): string {
  const when = at.toISOString();
  return `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, need, due_at, misfire_at, payload)
    SELECT '${id}', '${when}', namespace, id, version, plan_epoch, 'schedule', 'planned', '${name}:${name}', key_limit, overlap, pool, need, '${when}', '${when}'::timestamptz + interval '1 s', '{"a":1}' FROM task WHERE id = '${taskId}';
    UPDATE run SET state = '${state}', dispatch = 1${more} WHERE id = '${id}' AND scheduled_for = '${when}'`;
}

function before(at: Date, seconds: number): Date {
  return new Date(at.getTime() - seconds * SECOND);
}
