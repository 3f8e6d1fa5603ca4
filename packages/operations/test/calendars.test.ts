import { SECOND, systemClock } from '@escapement/core';
import type { CalendarSpec } from '@escapement/core/schedule';
import { listCalendars } from '@escapement/store';
import { by, lockRows } from '@escapement/testkit';
import { halfway, testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { deleteCalendar, saveCalendar } from '../src/index.ts';

const fleet = await testFleet();
const every5s = { kind: 'every', everyMs: 5000 } as const;
const always: CalendarSpec = { timeZone: 'UTC', entries: [{ name: 'works holiday', hours: ['0-24'] }] };
const never: CalendarSpec = { timeZone: 'UTC', entries: [{ name: 'long ago', dates: ['2001-01-01'] }] };
const save = (name: string, spec: CalendarSpec) => saveCalendar(fleet.db, name, spec, by('test'));

const rows = async (task: string) =>
  (await fleet.runs(task)).map(({ state, reason, occurrences }) => ({ state, reason, occurrences }));

it('skips what a calendar excludes, with its entry as the reason', async () => {
  await save('holidays', always);
  await fleet.save({ name: 'excluded', schedule: every5s, calendars: { exclude: ['holidays'] } });
  await fleet.planner.runOnce();
  // They are all to come, and have a row each: an edit may come before them.
  const made = await rows('excluded');
  expect(made.length).toBeGreaterThan(1);
  for (const row of made)
    expect(row).toEqual({ state: 'skipped', reason: 'excluded by calendar holidays: works holiday', occurrences: 1 });
});

it('plans anew when a calendar is edited: what it excludes from then on does not run', async () => {
  await save('edited', never);
  // None is due while it is edited: what is before the edit stays as it is.
  await fleet.save({ name: 'edited', schedule: halfway(5000), calendars: { exclude: ['edited'] } });
  await fleet.planner.runOnce();
  const before = await fleet.runs('edited');
  expect(before.map(({ state }) => state)).toContain('queued');
  expect(await save('edited', always)).toEqual({ kind: 'updated', version: 2, tasks: ['edited'] });
  const { rows: epochs } = await fleet.db.pool.query(
    `SELECT count(*) FILTER (WHERE r.plan_epoch < t.plan_epoch AND r.scheduled_for >= t.effective_at)::integer AS old,
       l.next_run_at > now() AS ahead FROM task t JOIN task_plan l ON l.task_id = t.id JOIN run r ON r.task_id = t.id WHERE t.name = 'edited' GROUP BY l.next_run_at`,
  );
  // Begin ends them as superseded.
  expect(epochs[0]).toEqual({ old: before.length, ahead: true });
});

it('saves what has not changed no second time, and keeps every version', async () => {
  await save('same', never);
  expect(await save('same', never)).toEqual({ kind: 'unchanged', version: 1, tasks: [] });
  expect(await listCalendars(fleet.db, ['same'])).toMatchObject([{ name: 'same', version: 1, savedBy: 'test' }]);
});

it('refuses a calendar that is not there, and to delete one that is used', async () => {
  const unknown = fleet.save({ name: 'lost', schedule: every5s, calendars: { exclude: ['holdays'] } });
  await expect(unknown).rejects.toMatchObject({ code: 'unknown_calendar', fix: 'did you mean holidays?' });
  await expect(deleteCalendar(fleet.db, 'holidays', by('test'))).rejects.toMatchObject({ code: 'calendar_in_use' });
  await deleteCalendar(fleet.db, 'same', by('test'));
  await expect(deleteCalendar(fleet.db, 'same', by('test'))).rejects.toMatchObject({ code: 'unknown_calendar' });
  expect(await save('same', never)).toMatchObject({ kind: 'created', version: 2 });
});

it('refuses to shift what has no days to move', async () => {
  const dense = fleet.save({ name: 'dense', schedule: every5s, calendars: { exclude: ['holidays'], shift: 'next' } });
  await expect(dense).rejects.toMatchObject({ code: 'calendar_shift' });
});

/** Three runs within the planner's horizon. None is due before the edit, on a busy machine either: what is due, an edit leaves. */
const threeToCome = () =>
  ({
    kind: 'every',
    everyMs: SECOND,
    maxRuns: 3,
    startAt: new Date(systemClock.now().getTime() + 4 * SECOND).toISOString(),
  }) as const;

it('ends a task after as many runs as its schedule may have, also over an edit', async () => {
  const schedule = threeToCome();
  await fleet.save({ name: 'three', schedule, misfireThresholdMs: 60_000 });
  await fleet.planner.runOnce();
  expect((await fleet.runs('three')).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued']);
  const { rows: ended } = await fleet.db.pool.query(
    `SELECT next_run_at, planned_runs FROM task JOIN task_plan ON task_id = id WHERE name = 'three'`,
  );
  expect(ended[0]).toEqual({ next_run_at: null, planned_runs: 3 });
  await fleet.save({ name: 'three', schedule, misfireThresholdMs: 60_000, payload: 1 });
  await fleet.planner.runOnce();
  const open = (await fleet.runs('three')).filter(({ state }) => state === 'queued');
  const { rows: again } = await fleet.db.pool.query(
    `SELECT next_run_at, planned_runs FROM task JOIN task_plan ON task_id = id WHERE name = 'three'`,
  );
  expect(again[0]).toEqual({ next_run_at: null, planned_runs: 3 });
  expect(open).toHaveLength(3);
});

it('does not count what an edit takes out of the queue as a run of a schedule that ends after so many', async () => {
  await save('always', always);
  const schedule = threeToCome();
  await fleet.save({ name: 'taken-out', schedule, misfireThresholdMs: 60_000 });
  await fleet.planner.runOnce();
  await fleet.save({ name: 'taken-out', schedule, misfireThresholdMs: 60_000, calendars: { exclude: ['always'] } });
  await fleet.planner.runOnce();
  const { rows } = await fleet.db.pool.query(
    `SELECT DISTINCT r.state, r.dispatch FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = 'taken-out' AND r.state <> 'superseded'`,
  );
  expect(rows).toEqual([{ state: 'skipped', dispatch: 0 }]);
});

it.each([
  ['first', 0],
  ['second', 1],
])(
  'of two who save the %s version of a calendar at once the later one makes the next, and is told so',
  async (which, saved) => {
    const name = `raced-${which}`;
    if (saved > 0) await save(name, never);
    const other = await lockRows(
      fleet.db.url,
      `WITH ended AS (UPDATE calendar_version SET ended_at = now() WHERE name = $1 RETURNING 1)
     INSERT INTO calendar_version (namespace, name, version, definition, created_by)
     SELECT 'default', $1, $2::integer + 1, $3::jsonb, 'bob' FROM (SELECT count(*) FROM ended) e`,
      [name, saved, JSON.stringify(never)],
    );
    const mine = save(name, always);
    await other.awaited();
    await other.commit();
    expect(await mine).toMatchObject({ kind: 'updated', version: saved + 2 });
  },
);
