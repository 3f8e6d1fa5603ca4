import { DAY, HOUR, type TaskInput } from '@escapement/core';
import type { CalendarSpec, ScheduleSpec } from '@escapement/core/schedule';
import { findTask, pauseTask, pingDatabase, type Task } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { readOccurrences, saveCalendar, verifyLedger } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
// What is done by hand here the ledger itself refuses.
await db.pool.query('ALTER TABLE run DISABLE TRIGGER USER');
const AGE_MS = 20 * DAY;

/** A task as if it and its calendars had been there for 20 days, with the rows of that time, all of them run on time. */
async function oldTask(name: string, given: Partial<TaskInput> & { schedule: ScheduleSpec }): Promise<void> {
  await fleet.save({ name, catchUp: { policy: 'all', withinMs: AGE_MS * 2, max: 1000 }, ...given });
  const { now } = await pingDatabase(db);
  const since = new Date(now.getTime() - AGE_MS);
  await db.pool.query('UPDATE calendar_version SET created_at = $1', [since]);
  const task = await requireTask(name);
  const { next } = await readOccurrences(db, task.definition);
  await db.pool.query('UPDATE task_version SET effective_at = $2 WHERE task_id = $1', [task.id, since]);
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = $2 WHERE id = $1) UPDATE task_plan SET plan_seq = plan_seq + 1, next_run_at = $3 WHERE task_id = $1`,
    [task.id, since, next(since)],
  );
  await fleet.planner.runOnce();
  await db.pool.query(
    `UPDATE run r SET state = 'succeeded', attempt = 1, started_at = scheduled_for, due_at = scheduled_for,
       finished_at = scheduled_for FROM task t
     WHERE t.id = r.task_id AND t.name = $1 AND r.state = 'queued' AND r.scheduled_for <= now()`,
    [name],
  );
}

async function requireTask(name: string): Promise<Task> {
  const task = await findTask(db, name);
  if (!task) throw new Error(`no task ${name}`);
  return task;
}

async function findings(task: string) {
  const { now } = await pingDatabase(db);
  const found: { kind: string; at: Date }[] = [];
  const window = { from: new Date(now.getTime() - AGE_MS), to: now };
  await verifyLedger(db, { ...window, task, onFinding: ({ kind, scheduledFor: at }) => found.push({ kind, at }) });
  return found;
}

const HOURLY: ScheduleSpec = { kind: 'every', everyMs: HOUR };
const nights: CalendarSpec = { timeZone: 'UTC', entries: [{ name: 'nights', hours: ['20-6'] }] };
const weekend: CalendarSpec = { timeZone: 'Europe/Berlin', entries: [{ weekdays: ['SAT', 'SUN'] }] };

/** Changes one row that is at least an hour old; returns its occurrence. */
async function change(task: string, set: string, where = `r.state = 'succeeded'`): Promise<Date> {
  const { rows } = await db.pool.query<{ at: Date }>(
    `WITH one AS (SELECT r.id, r.scheduled_for FROM run r JOIN task t ON t.id = r.task_id
       WHERE t.name = $1 AND ${where} AND r.scheduled_for < now() - interval '1 hour'
       ORDER BY r.scheduled_for OFFSET 3 LIMIT 1)
     ${set} one WHERE run.id = one.id RETURNING one.scheduled_for AS at`,
    [task],
  );
  return rows[0]?.at ?? new Date(Number.NaN);
}

it('finds what was done by hand to the rows of a task with a calendar', async () => {
  await saveCalendar(db, 'nights', nights, by('test'));
  await oldTask('by-day', { schedule: HOURLY, calendars: { exclude: ['nights'] } });
  expect(await findings('by-day')).toEqual([]);
  const deleted = await change('by-day', 'DELETE FROM run USING');
  expect(await findings('by-day')).toEqual([{ kind: 'missing', at: deleted }]);
  const stretch = await change('by-day', 'DELETE FROM run USING', `r.state = 'skipped'`);
  expect((await findings('by-day')).map(({ kind }) => kind)).toEqual(Array(11).fill('missing'));
  expect((await findings('by-day'))[0]).toEqual({ kind: 'missing', at: deleted < stretch ? deleted : stretch });
});

it('finds a run that a calendar excludes, and one that it does not', async () => {
  await saveCalendar(db, 'lunch', { timeZone: 'UTC', entries: [{ hours: ['12-13'] }] }, by('test'));
  await oldTask('not-at-noon', { schedule: HOURLY, calendars: { exclude: ['lunch'] } });
  const skipped = await change(
    'not-at-noon',
    `UPDATE run SET state = 'skipped', started_at = NULL, attempt = 0, reason = 'excluded by calendar lunch: hours 12-13' FROM`,
  );
  const ran = await change(
    'not-at-noon',
    `UPDATE run SET state = 'succeeded', started_at = run.scheduled_for, attempt = 1 FROM`,
    `r.state = 'skipped' AND extract(hour FROM r.scheduled_for) = 12`,
  );
  expect((await findings('not-at-noon')).sort(byKind)).toEqual([
    { kind: 'not_skipped', at: ran },
    { kind: 'wrongly_skipped', at: skipped },
  ]);
});

const byKind = (a: { kind: string }, b: { kind: string }) => a.kind.localeCompare(b.kind);

it('finds rows that were deleted, added or moved of a task whose calendar shifts', async () => {
  await saveCalendar(db, 'weekend', weekend, by('test'));
  const schedule: ScheduleSpec = { kind: 'cron', expression: '0 9 * * WED,SUN', timeZone: 'Europe/Berlin' };
  await oldTask('shifted', { schedule, calendars: { exclude: ['weekend'], shift: 'next' } });
  expect(await findings('shifted')).toEqual([]);
  const moved = await change('shifted', `UPDATE run SET scheduled_for = run.scheduled_for + interval '1 hour' FROM`);
  expect(await findings('shifted')).toEqual([
    { kind: 'missing', at: moved },
    { kind: 'unexpected', at: new Date(moved.getTime() + HOUR) },
  ]);
  await db.pool.query('DELETE FROM run WHERE scheduled_for = $1', [new Date(moved.getTime() + HOUR)]);
  expect(await findings('shifted')).toEqual([{ kind: 'missing', at: moved }]);
});

it('goes by a calendar as it was in force', async () => {
  await saveCalendar(db, 'edited', nights, by('test'));
  await oldTask('edited', { schedule: HOURLY, calendars: { exclude: ['edited'] } });
  await saveCalendar(db, 'edited', { timeZone: 'UTC', entries: [{ hours: ['0-24'] }] }, by('test'));
  expect(await findings('edited')).toEqual([]);
});

it('counts the runs of a schedule that ends after so many', async () => {
  await oldTask('ten', { schedule: { ...HOURLY, maxRuns: 10 } });
  expect(await findings('ten')).toEqual([]);
  const deleted = await change('ten', 'DELETE FROM run USING');
  expect(await findings('ten')).toEqual([{ kind: 'missing', at: deleted }]);
});

it('knows that runs which a former definition allowed were not too many', async () => {
  await oldTask('fewer', { schedule: { ...HOURLY, maxRuns: 10 } });
  await fleet.save({ name: 'fewer', schedule: { ...HOURLY, maxRuns: 5 } });
  await fleet.planner.runOnce();
  expect(await findings('fewer')).toEqual([]);
});

it('finds a schedule that was ended before it had all its runs, or goes on after them', async () => {
  await oldTask('early', { schedule: { ...HOURLY, maxRuns: 100 } });
  await db.pool.query(
    `UPDATE task_version SET definition = jsonb_set(definition, '{schedule,maxRuns}', '102') WHERE definition->>'name' = 'early'`,
  );
  expect((await findings('early')).length).toBeGreaterThan(300);
  await db.pool.query(
    `UPDATE task_version SET definition = jsonb_set(definition, '{schedule,maxRuns}', '98') WHERE definition->>'name' = 'early'`,
  );
  expect((await findings('early')).map(({ kind }) => kind)).toEqual(['unexpected', 'unexpected']);
});

it('finds a run that started in a pause, and one that was skipped for none', async () => {
  await oldTask('resting', { schedule: HOURLY });
  await pauseTask(db, { name: 'resting', untilAt: null, by: by('test') });
  const { rows } = await db.pool.query<{ at: Date }>(
    `UPDATE task_pause p SET from_at = date_bin('1 hour', now(), 'epoch') - interval '5 hours 30 minutes',
       until_at = date_bin('1 hour', now(), 'epoch') - interval '4 hours 30 minutes'
     FROM task t WHERE t.id = p.task_id AND t.name = 'resting' RETURNING date_bin('1 hour', now(), 'epoch') - interval '5 hours' AS at`,
  );
  const skipped = await change(
    'resting',
    `UPDATE run SET state = 'skipped', started_at = NULL, attempt = 0, reason = 'paused' FROM`,
  );
  expect(await findings('resting')).toEqual([
    { kind: 'wrongly_skipped', at: skipped },
    { kind: 'not_skipped', at: rows[0]?.at },
  ]);
});
