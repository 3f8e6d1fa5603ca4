import { HOUR, ManualClock, MINUTE, SECOND, systemClock } from '@escapement/core';
import { createLedgerVerifier } from '@escapement/runtime';
import { noteLedgerVerified, openDatabase, pauseTask, pingDatabase } from '@escapement/store';
import { afterFile, asUser, by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { deleteTask, type LedgerFinding, verifyLedger } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;

/** A task as if it had been there for that long, with the rows of that time. */
async function oldTask(name: string, ageMs: number, everyMs: number): Promise<void> {
  await fleet.save({ name, schedule: { kind: 'every', everyMs } });
  await db.pool.query(
    `UPDATE task_version v SET effective_at = now() - $2 * interval '1 ms' FROM task t WHERE t.id = v.task_id AND t.name = $1`,
    [name, ageMs],
  );
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = now() - $2 * interval '1 ms' WHERE name = $1 RETURNING id)
     UPDATE task_plan SET plan_seq = plan_seq + 1,
       next_run_at = to_timestamp((floor(extract(epoch FROM now() - $2 * interval '1 ms') * 1000 / $3) + 1) * $3 / 1000)
     FROM t WHERE task_id = t.id`,
    [name, ageMs, everyMs],
  );
  await fleet.planner.runOnce();
}

/** A period of that length, and up to 7 minutes more, of which no instant is within a minute of now: what is due just now is not verified yet. */
function periodAwayFromNow(leastMs: number): number {
  const nowMs = systemClock.now().getTime();
  const periods = Array.from({ length: 60 }, (_, index) => leastMs + index * 7 * SECOND);
  const period = periods.find((ms) => nowMs % ms > MINUTE && nowMs % ms < ms - MINUTE);
  if (!period) throw new Error('no such period');
  return period;
}

async function verify(task?: string) {
  const { now } = await pingDatabase(db);
  const findings: LedgerFinding[] = [];
  const summary = await verifyLedger(db, {
    from: new Date(now.getTime() - 2 * HOUR),
    to: now,
    ...(task === undefined ? {} : { task }),
    onFinding: (finding) => findings.push(finding),
  });
  return { summary, findings };
}

it('finds a row that was deleted by hand, and names task and occurrence', async () => {
  await oldTask('hourly', 2 * HOUR, 10 * MINUTE);
  expect((await verify('hourly')).findings.filter(({ kind }) => kind === 'missing')).toEqual([]);
  const { rows } = await db.pool.query<{ scheduled_for: Date }>(
    `DELETE FROM run WHERE id = (SELECT r.id FROM run r JOIN task t ON t.id = r.task_id
       WHERE t.name = 'hourly' AND r.scheduled_for < now() - interval '1 minute' ORDER BY r.scheduled_for LIMIT 1)
     RETURNING scheduled_for`,
  );
  const { findings, summary } = await verify('hourly');
  expect(findings.filter(({ kind }) => kind === 'missing')).toContainEqual(
    expect.objectContaining({ task: 'hourly', scheduledFor: rows[0]?.scheduled_for }),
  );
  expect(summary.gaps).toBeGreaterThan(0);
});

it('finds what a dead planner left out', async () => {
  await fleet.save({ name: 'unplanned', schedule: { kind: 'every', everyMs: MINUTE } });
  await db.pool.query(
    `UPDATE task_version v SET effective_at = now() - interval '10 minutes' FROM task t
     WHERE t.id = v.task_id AND t.name = 'unplanned'`,
  );
  const { findings } = await verify('unplanned');
  expect(findings.length).toBeGreaterThanOrEqual(9);
  expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['missing']));
});

it('finds a task that vanished from the database', async () => {
  await oldTask('vanishing', HOUR, 10 * MINUTE);
  const { rows } = await db.pool.query<{ id: string }>(`DELETE FROM task WHERE name = 'vanishing' RETURNING id`);
  const { findings } = await verify();
  expect(findings).toContainEqual(expect.objectContaining({ kind: 'vanished', task: rows[0]?.id }));
});

/** The run of the last minute is started by nobody: once that is over, it is told of. */
const besidesNotStarted = async (task: string) =>
  (await verify(task)).findings.filter(({ kind }) => kind !== 'not_started');

it('expects nothing of a deleted task from then on, and rows of a paused one', async () => {
  await oldTask('paused', 5 * MINUTE, MINUTE);
  await pauseTask(db, { name: 'paused', untilAt: null, by: by('test') });
  expect((await verify('paused')).findings.filter(({ kind }) => kind === 'missing')).toEqual([]);
  await oldTask('deleted', 5 * MINUTE, MINUTE);
  await deleteTask(db, 'deleted', by('test'));
  expect(await besidesNotStarted('deleted')).toEqual([]);
});

it('knows what a freeze of the fleet skips, and what was skipped for none', async () => {
  await db.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by)
     VALUES ('default', now() - interval '1 hour', now() - interval '2 minutes', 'moving', 'ann')`,
  );
  await oldTask('frozen', 30 * MINUTE, MINUTE);
  expect((await fleet.runs('frozen'))[0]).toMatchObject({ state: 'skipped', reason: 'the fleet was frozen: moving' });
  expect(await besidesNotStarted('frozen')).toEqual([]);
  await db.pool.query('DELETE FROM fleet_freeze');
  expect((await verify('frozen')).findings).toContainEqual(
    expect.objectContaining({ kind: 'wrongly_skipped', task: 'frozen' }),
  );
});

it('a worker verifies by the rights of its role: also roll-ups, and notes what alerts have to know', async () => {
  const worker = openDatabase({ url: asUser(db.url, 'worker'), applicationName: 'a worker' });
  afterFile(() => worker.close());
  await oldTask('of-hours', 4 * HOUR, 10 * MINUTE);
  await db.pool.query(`INSERT INTO roll_up (namespace, rolled_until) VALUES ('default', now())
    ON CONFLICT (namespace) DO UPDATE SET rolled_until = now()`);
  await db.pool.query(`SELECT make_partition('task_hour', now() - interval '2 hours')`);
  await db.pool.query(`INSERT INTO task_hour SELECT t.id, date_bin('1 hour', now() - interval '2 hours', 'epoch'), 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'
    FROM task t WHERE t.name = 'of-hours'`);
  const { now } = await pingDatabase(db);
  const hours = { from: new Date(now.getTime() - 4 * HOUR), to: new Date(now.getTime() - 2 * HOUR) };
  const findings: LedgerFinding[] = [];
  const from = new Date(now.getTime() - 10 * MINUTE);
  await verifyLedger(worker, { from, to: now, hours, onFinding: (finding) => void findings.push(finding) });
  expect(findings.map(({ kind }) => kind)).toContain('wrongly_rolled_up');
  await noteLedgerVerified(worker, { gaps: 1, named: ['of-hours'] });
  await noteLedgerVerified(worker, null);
  const { rows } = await db.pool.query(`SELECT detail FROM alert_fact WHERE kind = 'ledger' ORDER BY id`);
  expect(rows).toEqual([{ detail: { gaps: 1, named: ['of-hours'] } }, { detail: null }]);
});

it('tells of gaps as a service, and of a fleet without planners', async () => {
  await db.pool.query('DELETE FROM run');
  await db.pool.query('DELETE FROM task');
  await fleet.save({ name: 'watched', schedule: { kind: 'every', everyMs: MINUTE } });
  await db.pool.query(
    `UPDATE task_version v SET effective_at = now() - interval '3 minutes' FROM task t
     WHERE t.id = v.task_id AND t.name = 'watched'`,
  );
  await db.pool.query(`UPDATE process SET planned_at = now() - interval '5 minutes' WHERE role = 'scheduler'`);
  fleet.events.length = 0;
  const emit = (event: (typeof fleet.events)[number]) => void fleet.events.push(event);
  const clock = new ManualClock();
  const verifier = createLedgerVerifier({ db, clock, emit, onError: () => undefined });
  // The whole fleet may have been away and be starting: its planners catch up first.
  await verifier.runOnce();
  clock.advance(MINUTE - SECOND);
  await verifier.runOnce();
  expect(fleet.events).toEqual([]);
  clock.advance(SECOND);
  await verifier.runOnce();
  expect(fleet.events).toContainEqual({ event: 'planners_silent', sinceMs: expect.any(Number) });
  expect(fleet.events).toContainEqual(expect.objectContaining({ event: 'ledger_finding', kind: 'missing' }));
  expect(fleet.events.at(-1)).toMatchObject({ event: 'ledger_verified', gaps: expect.any(Number) });
  await db.pool.query(`DELETE FROM cluster_lock WHERE name = 'ledger-verifier'`);
  await db.pool.query(`UPDATE process SET planned_at = now() WHERE role = 'scheduler'`);
  fleet.events.length = 0;
  await createLedgerVerifier({ db, clock, emit, onError: () => undefined }).runOnce();
  expect(fleet.events.at(-1)).toMatchObject({ event: 'ledger_verified' });
});

it('verifies all of a time in which nobody did, once its planners have come by, and then the last ten minutes again', async () => {
  await db.pool.query('DELETE FROM run');
  await db.pool.query('DELETE FROM task');
  // One row stands for all that was missed, up to the newest instant but one: that one is not among the last ten minutes.
  await oldTask('before', HOUR, periodAwayFromNow(12 * MINUTE));
  await oldTask('behind', HOUR, periodAwayFromNow(5 * MINUTE));
  const gone = await db.pool.query<{ at: Date }>(
    `DELETE FROM run WHERE scheduled_for IN (SELECT min(r.scheduled_for) FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = 'before')
       AND task_id = (SELECT id FROM task WHERE name = 'before') RETURNING scheduled_for AS at`,
  );
  // A planner is at work, and has not come by this one for half an hour.
  const behind = await db.pool.query<{ at: Date }>(
    `WITH late AS (DELETE FROM run WHERE scheduled_for > now() - interval '30 minutes'
       AND task_id = (SELECT id FROM task WHERE name = 'behind') RETURNING scheduled_for)
     UPDATE task_plan SET next_run_at = (SELECT min(scheduled_for) FROM late) WHERE task_id = (SELECT id FROM task WHERE name = 'behind') RETURNING next_run_at AS at`,
  );
  await db.pool.query(`UPDATE process SET planned_at = now() WHERE role = 'scheduler'`);
  await db.pool.query(`INSERT INTO cluster_lock (namespace, name, taken_at, done_until)
    VALUES ('default', 'ledger-verifier', now() - interval '6 minutes', now() - interval '2 hours')
    ON CONFLICT (namespace, name) DO UPDATE SET taken_at = excluded.taken_at, done_until = excluded.done_until`);
  const found: [task: string, at: Date][] = [];
  const emit = (event: (typeof fleet.events)[number]) =>
    void (event.event === 'ledger_finding' && found.push([event.task, event.scheduledFor]));
  const pass = async () => {
    found.length = 0;
    await createLedgerVerifier({ db, clock: new ManualClock(), emit, onError: () => undefined }).runOnce();
    const { rows } = await db.pool.query<{ done_until: Date }>(
      `UPDATE cluster_lock SET taken_at = now() - interval '6 minutes' WHERE name = 'ledger-verifier' RETURNING done_until`,
    );
    return rows[0]?.done_until;
  };
  expect(await pass()).toEqual(behind.rows[0]?.at);
  // The row may have stood for all that was caught up on.
  expect(found[0]).toEqual(['before', gone.rows[0]?.at]);
  expect(new Set(found.map(([task]) => task))).toEqual(new Set(['before']));
  await fleet.planner.runOnce();
  // From there on, and no further back.
  expect((await pass())?.getTime()).toBeGreaterThan(behind.rows[0]?.at.getTime() ?? Number.NaN);
  expect(found).toEqual([]);
});
