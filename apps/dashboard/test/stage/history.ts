import { type By, DAY, HOUR, MINUTE, newRunId, type RunState, SECOND, systemClock } from '@escapement/core';
import { requireTask, saveTask } from '@escapement/operations';
import { type Database, registerDeployment } from '@escapement/store';

type Task = Parameters<typeof saveTask>[1];

const shell = (command: string): Task['handler'] => ({ type: 'shell', command });

/** What starts it, and what it starts; those that name others last. */
const CHAIN: readonly Task[] = [
  { name: 'tell-operators', handler: shell('tell') },
  { name: 'copy-backup', handler: shell('copy'), onFailure: 'tell-operators' },
  {
    name: 'check-backup',
    handler: shell('check'),
    then: [{ task: 'copy-backup' }, { task: 'tell-operators', when: 'failure' }],
  },
  {
    name: 'backup-shop',
    handler: shell('backup-shop'),
    then: [{ task: 'check-backup' }, { task: 'tell-operators', when: 'failure' }],
  },
  { name: 'close-shop', handler: shell('close'), then: [{ task: 'backup-shop' }] },
];

const DAYS = 34;
/** Of each day. */
const AT = [1, 2, 3, 4, 13, 22];
/** No clock of a test comes near it, so that what is shown of today and of a week ago is the same at any time. */
const LAST_DAY = 2;

interface PastRun {
  at: Date;
  state: RunState;
  tookMs: number;
}

/** Days so long ago on which not all went well. */
const TROUBLE: Readonly<Record<number, RunState>> = {
  ...{ 5: 'missed', 6: 'failed', 11: 'failed', 12: 'failed' },
  ...{ 19: 'skipped', 20: 'timed_out', 27: 'missed', 28: 'cancelled' },
};

const REASONS: Readonly<Partial<Record<RunState, string>>> = {
  failed: 'exit code 1',
  timed_out: 'not over after 1 h',
  missed: 'no scheduler was there',
  skipped: 'the run before was still going',
  cancelled: 'the shop is being moved',
};

/** Runs of five weeks: some failed, some were missed, and they take longer from week to week. */
function pastRuns(now: Date): PastRun[] {
  const today = Math.floor(now.getTime() / DAY) * DAY;
  const ago = Array.from({ length: DAYS }, (_, index) => index + LAST_DAY).filter((days) => days % 9 !== 0);
  return ago.flatMap((days) =>
    AT.map((hour, index) => ({
      at: new Date(today - days * DAY + hour * HOUR + 15 * MINUTE),
      state: index === 0 || days === 19 ? (TROUBLE[days] ?? 'succeeded') : 'succeeded',
      tookMs: (90 - days + 7 * index) * SECOND * (index === 5 && days % 4 === 0 ? 6 : 1),
    })),
  );
}

/** A task with a history of weeks, written into the ledger as it would stand there: to live it would take minutes. */
export async function addHistory(db: Database, by: By): Promise<void> {
  for (const task of CHAIN) await saveTask(db, task, { source: 'api', by });
  const { id } = await requireTask(db, 'backup-shop');
  const runs = pastRuns(systemClock.now());
  for (const table of ['run', 'task_hour'])
    for (const { at } of runs) await db.pool.query('SELECT make_partition($1, $2)', [table, at.toISOString()]);
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, attempt, worker, fence, started_at, finished_at, watched)
     SELECT r.id, r.at, $1, $2, 1, 1, 'trigger', r.state, r.reason, 'backup-shop', 1, 'allow', 'default', r.at, r.ran, 'w', 1,
       CASE WHEN r.ran > 0 THEN r.at END, r.at + r.took * interval '1 ms', false
     FROM unnest($3::uuid[], $4::timestamptz[], $5::text[], $6::integer[], $7::float8[], $8::text[])
       AS r(id, at, state, ran, took, reason)`,
    [
      ...[db.namespace, id, runs.map(({ at }) => newRunId(at)), runs.map(({ at }) => at.toISOString())],
      ...[runs.map(({ state }) => state), runs.map(({ state }) => Number(hasRun(state)))],
      runs.map(({ state, tookMs }) => (hasRun(state) ? tookMs : 0)),
      runs.map(({ state }) => REASONS[state] ?? null),
    ],
  );
  // As the schedulers have done with what was there before.
  await db.pool.query(
    `SELECT roll_up_tasks(array_agg(h.task_id), array_agg(h.hour))
     FROM (SELECT DISTINCT task_id, date_bin('1 hour', scheduled_for, 'epoch') AS hour FROM run WHERE task_id = $1) h`,
    [id],
  );
}

/** Its runs took a few milliseconds so far: whatever runs of it now runs for far longer than usual. */
export async function addUsual(db: Database, task: string): Promise<void> {
  const { id } = await requireTask(db, task);
  const at = new Date(systemClock.now().getTime() - LAST_DAY * DAY).toISOString();
  await db.pool.query(`SELECT make_partition('task_hour', $1)`, [at]);
  await db.pool.query(
    `WITH hour AS (
       INSERT INTO task_hour (task_id, hour, runs, started, succeeded, failed, timed_out, quarantined, skipped, missed, superseded, cancelled, took, late)
       VALUES ($1, date_bin('1 hour', $2, 'epoch'), 40, 40, 40, 0, 0, 0, 0, 0, 0, 0, '{"20": 40}', '{}')
     )
     INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) VALUES ($1, 40, 6, 6)`,
    [id, at],
  );
}

function hasRun(state: RunState): boolean {
  return !['skipped', 'missed', 'cancelled'].includes(state);
}

/** As the schedulers keep it: the failures of a task ran with the second of two releases. */
export async function nameReleases(db: Database, task: string): Promise<void> {
  const code = { app: 'shop', whole: true, tasks: { [task]: 'print' } };
  await registerDeployment(db, { ...code, release: '1.4.1', fingerprint: 'before' });
  const deploymentId = await registerDeployment(db, { ...code, release: '1.4.2', fingerprint: 'after' });
  await db.pool.query(
    `UPDATE failure f SET deployment_id = $2::bigint FROM task t WHERE t.id = f.task_id AND t.namespace = $1 AND t.name = $3`,
    [db.namespace, deploymentId, task],
  );
}
