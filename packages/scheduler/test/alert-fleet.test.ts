import { DAY, MINUTE, systemClock } from '@escapement/core';
import type { AlertingInput } from '@escapement/core/alerts';
import { cancelRun, triggerTask } from '@escapement/operations';
import { ensurePartitions, noteLedgerVerified, recordDrift } from '@escapement/store';
import { by } from '@escapement/testkit';
import { wasDue } from '@escapement/testkit/fleet';
import { Queue } from 'bullmq';
import { describe, expect, it, test } from 'vitest';
import { alertedFleet } from './alerted-fleet.ts';

const { fleet, db, openRun, set, rules, watchers } = await alertedFleet();

/** What another program does to the queue of shell tasks. */
async function asAnother(action: (queue: Queue) => Promise<unknown>): Promise<void> {
  const { hostname, port, pathname } = new URL(fleet.redis.url);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || '0') };
  const queue = new Queue('default+shell', { prefix: 'esc:{default:default+shell}', connection });
  await action(queue);
  await queue.close();
}

describe('the fleet', () => {
  const sql = (text: string) => () => db.pool.query(text);
  const process = (what: string) => `INSERT INTO process (id, namespace, role, host, pid, app_version, ${what}`;
  let ofNobody = '';
  async function dueWithoutWorker(): Promise<void> {
    ofNobody = await openRun('of-nobody');
    await set(ofNobody, `due_at = now() - interval '1 min'`);
  }
  const gone = sql(`DELETE FROM process WHERE id LIKE 'told-%'`);
  const watchedFor = (span: string) =>
    db.pool.query(`UPDATE alert_watch SET watched_since = now() - $1::interval`, [span]);
  test.each<[AlertingInput['rules'][number]['when'], () => Promise<unknown>, string, () => Promise<unknown>]>([
    [
      { kind: 'not-watched', overMs: 60_000 },
      sql(`UPDATE alert_watch SET looked_at = now() - interval '5 min'`),
      'nobody looked after the fleet for 5 min: Postgres or all schedulers were away',
      async () => undefined,
    ],
    [
      { kind: 'ledger-gap' },
      () => noteLedgerVerified(db, { gaps: 2, named: ['a is missing'] }),
      'the ledger does not agree with the schedules in 2 occurrences',
      () => noteLedgerVerified(db, null),
    ],
    [
      { kind: 'token-expires', withinMs: 7 * DAY },
      sql(`INSERT INTO access_token (namespace, id, name, hash, role, created_by, expires_at)
        VALUES ('default', 't', 'deploy', sha256('t'), 'viewer', 'ann', now() + interval '1 day')`),
      'the token of access deploy ends soon',
      sql('DELETE FROM access_token'),
    ],
    [
      { kind: 'clock-off', overMs: 500 },
      sql(`${process(`clock_offset_ms) VALUES ('told-clock', 'default', 'worker', 'h', 1, '0', 900)`)}`),
      'the clock of the worker on h is more than 500 ms off',
      gone,
    ],
    [
      { kind: 'worker-lost' },
      sql(
        `${process(`heartbeat_at) VALUES ('told-lost', 'default', 'worker', 'h', 1, '0', now() - interval '1 min')`)}`,
      ),
      'the worker told-lost has vanished without a word',
      gone,
    ],
    [
      { kind: 'drift', kinds: ['stuck_job'] },
      () => recordDrift(db, { stuck_job: 2, lost_run: 1 }),
      'queue and ledger differed (stuck_job), and were made equal',
      sql(`UPDATE drift SET found_at = now() - interval '1 h'`),
    ],
    [
      { kind: 'workers-missing' },
      sql(`INSERT INTO pool (namespace, name, expected_workers) VALUES ('default', 'big', 3)`),
      'the pool big has 0 of 3 workers',
      sql(`DELETE FROM pool`),
    ],
    [
      { kind: 'database-size', overBytes: 1_000_000 },
      async () => undefined,
      'the database is larger than 1 MB',
      () => rules({ rules: [] }),
    ],
    [
      { kind: 'no-worker' },
      dueWithoutWorker,
      'the pool nobody has runs that are due, and no worker',
      async () => await cancelRun(db, ofNobody, by('ann')),
    ],
    [
      { kind: 'no-worker' },
      async () => {
        await dueWithoutWorker();
        await sql(
          `${process(`heartbeat_at, pools) VALUES ('lacks', 'default', 'worker', 'h', 1, '0', now(), '{nobody}')`)};
           UPDATE run SET need = 'code', state = 'queued' WHERE pool = 'nobody' AND state = 'planned'`,
        )();
      },
      'the pool nobody has runs that are due, and no worker has their code',
      async () => {
        await cancelRun(db, ofNobody, by('ann'));
        await sql(`DELETE FROM process WHERE id = 'lacks'`)();
      },
    ],
    [
      { kind: 'overdue', overMs: 5000 },
      dueWithoutWorker,
      'runs of the pool nobody have been due for more than 5 s, and have not started',
      async () => await cancelRun(db, ofNobody, by('ann')),
    ],
    [
      { kind: 'planner-silent', overMs: 60_000 },
      sql(
        `UPDATE process SET planned_at = now() - interval '5 min';
         INSERT INTO process (id, namespace, role, host, pid, app_version, planned_at) VALUES ('told-s', 'default', 'scheduler', 'h', 1, '0', now() - interval '5 min')`,
      ),
      'nobody plans: no scheduler has completed a pass of its planner of late',
      sql(`UPDATE process SET planned_at = now()`),
    ],
    [
      { kind: 'planner-lag', overMs: 60_000 },
      async () => {
        await fleet.save({ name: 'unplanned', pool: 'nobody', schedule: { kind: 'every', everyMs: DAY } });
        await wasDue(db, 'unplanned', 5 * MINUTE);
      },
      'the planner is more than 1 min behind',
      async () => await fleet.planner.runOnce(),
    ],
    [
      { kind: 'api-away', overMs: 60_000 },
      sql(
        `UPDATE alert_watch SET heard_at = now() - interval '5 min';
         INSERT INTO monitor (namespace, name, ping_hash, definition, trouble_at, created_by) VALUES ('default', 'backup', sha256('x'), '{}', now() + interval '1 day', 'ann')`,
      ),
      'no API takes pings: of jobs that run elsewhere nothing is known',
      sql(`UPDATE alert_watch SET heard_at = now(); DELETE FROM monitor`),
    ],
    [
      { kind: 'queue-blocked' },
      async () => {
        await fleet.save({ name: 'behind-a-pause' });
        await triggerTask(db, 'behind-a-pause', { by: by('test') });
        await asAnother((queue) => queue.pause());
        await fleet.reconcile();
        await fleet.reconcile();
      },
      'another program has changed the queue default+shell in Redis',
      async () => {
        await asAnother((queue) => queue.resume());
        await fleet.reconcile();
        await fleet.reconcile();
      },
    ],
    [
      { kind: 'partition-missing' },
      async () => {
        const { rows } = await db.pool.query(`SELECT name FROM partitions_of('run_log_chunk') WHERE to_at > now()`);
        for (const { name } of rows) await db.pool.query(`DROP TABLE ${name}`);
      },
      'the partition of the ledger for the next days is missing',
      async () => await ensurePartitions(db, systemClock.now(), 14),
    ],
  ])('%j', async (when, begin, summary, end) => {
    await rules({ rules: [{ name: 'told', when }] });
    const words = await watchers().look();
    await watchedFor('1 h');
    await begin();
    words.push(...(await watchers().look()));
    expect(words).toEqual([`firing: ${summary}`]);
    await end();
    expect(await watchers().look()).toEqual([`resolved: ${summary}`]);
  });

  it('what was silent in an outage is told of when it stays silent after it', async () => {
    await rules({
      rules: [
        { name: 'away', when: { kind: 'not-watched', overMs: 2 * MINUTE } },
        { name: 'silent', when: { kind: 'planner-silent', overMs: 30_000 } },
        { name: 'lag', when: { kind: 'planner-lag', overMs: 30_000 } },
        { name: 'api', when: { kind: 'api-away', overMs: 30_000 } },
      ],
    });
    await fleet.save({ name: 'in-an-outage', pool: 'nobody', schedule: { kind: 'every', everyMs: DAY } });
    await watchers().look();
    await wasDue(db, 'in-an-outage', 5 * MINUTE);
    await db.pool.query(`UPDATE process SET planned_at = now() - interval '5 min';
      INSERT INTO process (id, namespace, role, host, pid, app_version, planned_at) VALUES ('told-outage', 'default', 'scheduler', 'h', 1, '0', now() - interval '5 min');
      INSERT INTO monitor (namespace, name, ping_hash, definition, trouble_at, created_by) VALUES ('default', 'silent-job', sha256('y'), '{}', now() + interval '1 day', 'ann');
      UPDATE alert_watch SET looked_at = now() - interval '5 min', heard_at = now() - interval '5 min', watched_since = now() - interval '1 h'`);
    const away = 'nobody looked after the fleet for 5 min: Postgres or all schedulers were away';
    expect(await watchers().look()).toEqual([`firing: ${away}`]);
    await watchedFor('20 s');
    expect(await watchers().look()).toEqual([`resolved: ${away}`]);
    await watchedFor('40 s');
    expect((await watchers().look()).sort()).toEqual([
      'firing: no API takes pings: of jobs that run elsewhere nothing is known',
      'firing: nobody plans: no scheduler has completed a pass of its planner of late',
    ]);
    // Which is its wider cause.
    await db.pool.query(`UPDATE process SET planned_at = now() WHERE id = 'told-outage'; DELETE FROM monitor`);
    expect((await watchers().look()).sort()).toEqual([
      'firing: the planner is more than 30 s behind',
      'resolved: no API takes pings: of jobs that run elsewhere nothing is known',
      'resolved: nobody plans: no scheduler has completed a pass of its planner of late',
    ]);
    await db.pool.query(`DELETE FROM process WHERE id = 'told-outage'; UPDATE alert_watch SET heard_at = NULL`);
    await fleet.planner.runOnce();
  });

  it('a silence is told though the scheduler that saw it ended before that was written', async () => {
    await rules({ rules: [{ name: 'away', when: { kind: 'not-watched', overMs: 60_000 } }] });
    const errors: unknown[] = [];
    const { look } = watchers([], (error) => errors.push(error));
    await db.pool.query(`INSERT INTO alert_watch (namespace, looked_at, ended_until) VALUES ('default', now() - interval '5 min', now())
      ON CONFLICT (namespace) DO UPDATE SET looked_at = excluded.looked_at`);
    await db.pool.query(`ALTER TABLE alert ADD CONSTRAINT refused CHECK (rule <> 'away')`);
    expect(await look()).toEqual([]);
    expect(errors).not.toEqual([]);
    await db.pool.query('ALTER TABLE alert DROP CONSTRAINT refused');
    expect(await watchers().look()).toEqual([
      'firing: nobody looked after the fleet for 5 min: Postgres or all schedulers were away',
    ]);
  });

  it('a second worker that is lost is told while the first is; clocks of one host are one alert', async () => {
    await rules({
      rules: [
        { name: 'lost', when: { kind: 'worker-lost' } },
        { name: 'clocks', when: { kind: 'clock-off', overMs: 500 } },
      ],
    });
    const lost = (id: string) =>
      db.pool.query(
        `${process(`heartbeat_at) VALUES ('${id}', 'default', 'worker', 'h', 1, '0', now() - interval '1 min')`)}`,
      );
    await lost('told-1');
    for (const id of ['told-3', 'told-4'])
      await db.pool.query(`${process(`clock_offset_ms) VALUES ('${id}', 'default', 'scheduler', 'h', 1, '0', 900)`)}`);
    expect((await watchers().look()).sort()).toEqual([
      'firing: the clock of the scheduler on h is more than 500 ms off',
      'firing: the worker told-1 has vanished without a word',
    ]);
    await lost('told-2');
    expect(await watchers().look()).toEqual(['firing: the worker told-2 has vanished without a word']);
    await gone();
    expect(await watchers().look()).toHaveLength(3);
  });

  it('gaps of the ledger that have gone since are no alert, and those that have come are', async () => {
    await rules({ rules: [{ name: 'gaps', when: { kind: 'ledger-gap' } }] });
    await noteLedgerVerified(db, { gaps: 1, named: [] });
    await noteLedgerVerified(db, null);
    expect(await watchers().look()).toEqual([]);
    await noteLedgerVerified(db, null);
    await noteLedgerVerified(db, { gaps: 1, named: [] });
    expect(await watchers().look()).toEqual(['firing: the ledger does not agree with the schedules in one occurrence']);
  });
});
