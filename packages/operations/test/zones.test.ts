import { DAY, HOUR, type TaskInput } from '@escapement/core';
import type { ZoneRules } from '@escapement/core/schedule';
import { findTask, pingDatabase, replanTask, zoneVersions } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, it } from 'vitest';
import { keepZones, knownRules, verifyLedger, type ZoneKeeping, zoneReport } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const ZONE = 'Africa/Lagos';
const { now } = await pingDatabase(db);
/** The clock of Lagos is an hour ahead of UTC all year. */
const LAGOS = knownRules(ZONE);
const seconds = (at: Date) => Math.floor(at.getTime() / 1000);

/** As if Lagos set its clock on by an hour then. */
function changedAt(at: Date): ZoneRules {
  return { ...LAGOS, changes: [...LAGOS.changes, [seconds(at), 7200]] };
}

const keep = (tzVersion: string, rules: ZoneRules) =>
  keepZones(db, { tzVersion, rulesOf: (name) => (name === ZONE ? rules : knownRules(name)) } satisfies ZoneKeeping);

/** The time of day in UTC, at least two hours from now, at which nobody minds an hour more or less. */
const hour = (now.getUTCHours() + 12) % 24;
const daily: TaskInput['schedule'] = { kind: 'cron', expression: `0 ${hour} * * *`, timeZone: ZONE };

beforeEach(async () => {
  await db.pool.query('TRUNCATE zone_version');
  await db.pool.query(
    `WITH plans AS (UPDATE task_plan SET next_run_at = NULL) UPDATE task SET deleted_at = now() WHERE deleted_at IS NULL`,
  );
});

async function nextOf(name: string): Promise<Date> {
  const task = await findTask(db, name);
  if (!task?.nextRunAt) throw new Error(`${name} has no next run`);
  return task.nextRunAt;
}

it('writes down what is known of the zones that tasks go by, once, and by which release', async () => {
  await fleet.save({ name: 'first', schedule: daily });
  expect(await keep('2026a', LAGOS)).toEqual([]);
  expect(await keep('2026b', LAGOS)).toEqual([]);
  const [written, ...others] = (await zoneVersions(db, now)).filter(({ name }) => name === ZONE);
  expect(written).toMatchObject({ version: 1, tzVersion: '2026b', rules: LAGOS, endedAt: null });
  expect(others).toEqual([]);
});

it('has a task planned anew whose next occurrence is another one by newer data', async () => {
  await fleet.save({ name: 'moves', schedule: daily });
  const before = await nextOf('moves');
  await keep('2026a', LAGOS);
  const newer = changedAt(new Date(now.getTime() - 2 * DAY));
  expect(await keep('2026b', newer)).toEqual([{ zone: ZONE, tzVersion: '2026b', replanned: ['moves'] }]);
  expect((await nextOf('moves')).getTime()).toBe(before.getTime() - HOUR);
  // Looked at again, it is right.
  expect(await keep('2026b', newer)).toEqual([]);
  // Somebody with older data plans it once more.
  const task = await findTask(db, 'moves');
  if (task) await replanTask(db, task, { nextRunAt: before, from: now });
  expect(await keep('2026b', newer)).toEqual([{ zone: ZONE, tzVersion: '2026b', replanned: ['moves'] }]);
});

it('a task that is due each minute, whose next rows are there, is not planned anew where its minutes stay', async () => {
  await fleet.save({ name: 'dense', schedule: { kind: 'cron', expression: '* * * * *', timeZone: ZONE } });
  await fleet.planner.runOnce();
  await keep('2026a', LAGOS);
  const newer = changedAt(new Date(now.getTime() - 2 * DAY));
  expect(await keep('2026b', newer)).toEqual([{ zone: ZONE, tzVersion: '2026b', replanned: [] }]);
});

it('leaves a task alone that is due before anything changes', async () => {
  await fleet.save({ name: 'stays', schedule: daily });
  await keep('2026a', LAGOS);
  const { planSeq } = (await findTask(db, 'stays')) ?? {};
  const later = changedAt(new Date(now.getTime() + 200 * DAY));
  expect(await keep('2026b', later)).toEqual([{ zone: ZONE, tzVersion: '2026b', replanned: [] }]);
  expect(await findTask(db, 'stays')).toMatchObject({ planSeq });
});

it('older data changes nothing', async () => {
  await fleet.save({ name: 'older', schedule: daily });
  await keep('2026b', LAGOS);
  expect(await keep('2026a', changedAt(new Date(now.getTime() - DAY)))).toEqual([]);
  expect(await zoneVersions(db, now)).toMatchObject([{ version: 1, tzVersion: '2026b' }]);
});

it('tells which fires are others, before and after schedulers have the newer data', async () => {
  await fleet.save({ name: 'told', schedule: daily });
  const older = changedAt(new Date(now.getTime() + 10 * DAY));
  await keep('2024a', older);
  const options = { from: now, to: new Date(now.getTime() + 30 * DAY), since: new Date(0), atMost: 1000 };
  const [ahead] = await zoneReport(db, { ...options, tzVersion: '2026a' });
  expect(ahead?.change).toMatchObject({ kind: 'ahead', was: '2024a', is: '2026a' });
  expect(ahead?.change?.differences).toMatchObject([{ was: 7200, is: 3600, to: null }]);
  const [task] = ahead?.change?.tasks ?? [];
  expect(task?.name).toBe('told');
  expect((task?.moved.count ?? 0) + (task?.added.count ?? 0)).toBeGreaterThanOrEqual(19);

  await keep('2026a', LAGOS);
  const [made] = await zoneReport(db, { ...options, tzVersion: '2026a' });
  expect(made).toMatchObject({ zone: ZONE, tzVersion: '2026a', change: { kind: 'made', was: '2024a', is: '2026a' } });
  expect(made?.change?.tasks.map(({ name }) => name)).toEqual(['told']);
});

it('the ledger is verified by what was known then', async () => {
  // It ran for ten days by a clock that is an hour ahead of what is known now.
  const since = new Date(now.getTime() - 10 * DAY);
  const older = { ...LAGOS, offset: 7200, changes: [] };
  await fleet.save({ name: 'then', schedule: daily });
  const task = await findTask(db, 'then');
  await db.pool.query('UPDATE task_version SET effective_at = $2 WHERE task_id = $1', [task?.id, since]);
  await db.pool.query(`DELETE FROM run WHERE task_id = $1`, [task?.id]);
  for (let at = firstBefore(hour - 2); at > since; at = new Date(at.getTime() - DAY)) await ran(task?.id ?? '', at);
  const findings = async () => {
    const found: string[] = [];
    const window = { from: new Date(since.getTime() + 2 * DAY), to: new Date(now.getTime() - HOUR) };
    await verifyLedger(db, { ...window, task: 'then', onFinding: ({ kind }) => found.push(kind) });
    return found.filter((kind) => kind !== 'wrongly_rolled_up');
  };
  expect((await findings()).length).toBeGreaterThan(10);
  await keep('2024a', older);
  await keep('2026a', LAGOS);
  expect(await findings()).toEqual([]);
});

/** The last time of day, in UTC, more than two hours ago. */
function firstBefore(utcHour: number): Date {
  const at = new Date(now);
  at.setUTCHours(utcHour, 0, 0, 0);
  while (at.getTime() > now.getTime() - 2 * HOUR) at.setTime(at.getTime() - DAY);
  return at;
}

/** A row of an occurrence that ran on time. */
async function ran(taskId: string, at: Date): Promise<void> {
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, need, due_at,
       dispatch, attempt, worker, fence, started_at, finished_at)
     SELECT (lpad(to_hex((extract(epoch FROM $2::timestamptz) * 1000)::bigint), 12, '0') || '7abc8def0123456789ab')::uuid, $2, t.namespace, t.id, t.version,
       t.plan_epoch, 'schedule', 'succeeded', t.key_template, t.key_limit, t.overlap, t.pool, t.need, $2, 1, 1, 'w', 1, $2, $2
     FROM task t WHERE t.id = $1`,
    [taskId, at],
  );
}
