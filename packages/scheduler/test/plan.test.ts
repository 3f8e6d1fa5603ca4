import { deleteTask, pauseTask, saveTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { halfway, testFleet, wasDue } from '@escapement/testkit/fleet';
import { beforeAll, describe, expect, it } from 'vitest';

const fleet = await testFleet();
const HOUR = 3_600_000;
const everyMinute = { kind: 'every', everyMs: 60_000 } as const;

it('accounts for what was due while no scheduler was there (I2)', async () => {
  await fleet.save({ name: 'nightly', schedule: halfway(HOUR) });
  await fleet.db.pool.query(
    `UPDATE task_plan SET next_run_at = next_run_at - interval '6 hours', plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = 'nightly')`,
  );
  await fleet.planner.runOnce();
  const rows = await fleet.runs('nightly');
  const total = rows.reduce((sum, row) => sum + row.occurrences, 0);
  expect(total).toBe(6);
  expect(rows.filter((row) => row.state === 'missed').length).toBeLessThanOrEqual(1);
  expect(rows.at(-1)).toMatchObject({ state: 'queued', occurrences: 1 });
});

it('plans what is due soon beside a crowd that is due before it', async () => {
  const crowd = 620;
  for (let index = 0; index < crowd; index++) await fleet.save({ name: `crowd-${index}`, schedule: everyMinute });
  await fleet.save({ name: 'soon', schedule: halfway(HOUR) });
  const makeDue = (names: string, when: string) =>
    fleet.db.pool.query(
      `UPDATE task_plan SET plan_seq = plan_seq + 1, next_run_at = date_trunc('milliseconds', now()) + $2::interval WHERE task_id IN (SELECT id FROM task WHERE name LIKE $1)`,
      [names, when],
    );
  await makeDue('crowd-%', '-1 s');
  // Finds out that there is a crowd.
  await fleet.planner.runOnce();
  await makeDue('soon', '900 ms');
  await fleet.planner.runOnce();
  const { rows } = await fleet.db.pool.query(
    `SELECT count(*)::integer AS left FROM task JOIN task_plan ON task_id = id WHERE name LIKE 'crowd-%' AND next_run_at < now() - interval '500 ms'`,
  );
  expect(rows).toEqual([{ left: crowd - 100 - 500 }]);
  expect(await fleet.runs('soon')).toHaveLength(1);
});

it('keeps a task that cannot be planned from holding the others up, and says so', async () => {
  const daily = { kind: 'every', everyMs: 24 * HOUR } as const;
  await fleet.save({ name: 'broken', schedule: daily });
  await fleet.save({ name: 'sound', schedule: daily });
  await fleet.db.pool.query(
    `UPDATE task SET schedule = '{"kind":"cron","expression":"61 * * * *","timeZone":"UTC"}' WHERE name = 'broken'`,
  );
  await wasDue(fleet.db, 'broken', 100);
  await wasDue(fleet.db, 'sound', 100);
  await fleet.planner.runOnce();
  expect((await fleet.runs('sound'))[0]).toMatchObject({ state: 'queued' });
  const { rows } = await fleet.db.pool.query(
    `SELECT plan_error, plan_failures, plan_after > now() AS backs_off FROM task JOIN task_plan ON task_id = id WHERE name = 'broken'`,
  );
  expect(rows[0]).toMatchObject({ plan_error: expect.stringContaining('61'), plan_failures: 1, backs_off: true });
  expect(fleet.events.filter((event) => event.event === 'plan_failed')).toHaveLength(1);
});

describe('a task with a value that planning cannot use', () => {
  const daily = { kind: 'every', everyMs: 24 * HOUR } as const;
  const BEFORE_IDS = '1969-12-31T23:59:59Z';
  const once = (at: string) => ({ kind: 'once', at });
  /** What somebody has written into the tables, past all that checks what is saved. */
  const HOSTILE: readonly [name: string, why: string, change: Record<string, unknown>, nextRunAt: string | null][] = [
    ['before-ids', '1969-12-31T23:59:59Z is out of range', once(BEFORE_IDS), BEFORE_IDS],
    ['at-the-first-instant', 'at: expected an ISO 8601 instant', once('-271821-04-20T00:00:00Z'), '-infinity'],
    [
      'due-in-4000-bc',
      '0001-01-01T00:00:00.000Z',
      { kind: 'cron', expression: '0 0 1 1 *', timeZone: 'UTC' },
      '4000-01-01 BC',
    ],
    ['in-4000-bc', '-003999', once('-003999-01-01T00:00:00Z'), '4000-01-01 BC'],
  ];

  // A pass has room for a hundred: on a slow machine the crowd would be due again.
  beforeAll(async () => {
    await fleet.db.pool.query(
      `UPDATE task_plan SET next_run_at = now() + interval '1 day', plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name LIKE 'crowd-%')`,
    );
  });

  const planOf = async (name: string) =>
    (
      await fleet.db.pool.query(
        `SELECT plan_error, plan_failures, plan_after > now() AS backs_off FROM task JOIN task_plan ON task_id = id WHERE name = $1`,
        [name],
      )
    ).rows[0];

  async function poison(name: string, schedule: object, nextRunAt: string | null): Promise<void> {
    await fleet.save({ name, schedule: daily });
    await fleet.db.pool.query(
      `WITH p AS (UPDATE task_plan SET next_run_at = $2 WHERE task_id = (SELECT id FROM task WHERE name = $1))
       UPDATE task SET schedule = $3, definition = jsonb_set(definition, '{schedule}', $3), effective_at = '-infinity' WHERE name = $1`,
      [name, nextRunAt, JSON.stringify(schedule)],
    );
  }

  it.each(HOSTILE)('does not keep the others from being planned: %s', async (name, why, schedule, nextRunAt) => {
    const beside = `beside-${name}`;
    await fleet.save({ name: beside, schedule: daily });
    await poison(name, schedule, nextRunAt);
    await wasDue(fleet.db, beside, 100);
    await fleet.planner.runOnce();
    expect(await fleet.runs(beside)).toMatchObject([{ state: 'queued' }]);
    expect(await planOf(name)).toEqual({
      plan_error: expect.stringContaining(why),
      plan_failures: 1,
      backs_off: true,
    });
  });

  /** No instant is so far ahead: Postgres refuses each row of the task. */
  const beyondTime = (name: string) =>
    fleet.db.pool.query(
      `UPDATE task SET definition = jsonb_set(definition, '{startDeadlineMs}', '1000000000000000000') WHERE name = $1`,
      [name],
    );

  it('is alone to blame where Postgres refuses its runs', async () => {
    const names = ['beside-1', 'beside-2', 'refused-rows', 'beside-3'];
    for (const name of names) await fleet.save({ name, schedule: daily });
    await beyondTime('refused-rows');
    for (const name of names) await wasDue(fleet.db, name, 100);
    await fleet.planner.runOnce();
    for (const name of names.filter((each) => each !== 'refused-rows')) {
      expect(await fleet.runs(name)).toMatchObject([{ state: 'queued' }]);
      expect(await planOf(name)).toMatchObject({ plan_error: null, plan_failures: 0 });
    }
    expect(await fleet.runs('refused-rows')).toEqual([]);
    expect(await planOf('refused-rows')).toMatchObject({
      plan_error: expect.stringContaining('out of range'),
      plan_failures: 1,
    });
  });

  it.each(HOSTILE)('can be paused, edited and deleted: %s', async (suffix, _, schedule, nextRunAt) => {
    const name = `mended-${suffix}`;
    await poison(name, schedule, nextRunAt);
    await pauseTask(fleet.db, name, null, by('test'));
    expect(await fleet.save({ name, schedule: daily })).toMatchObject({ kind: 'updated' });
    await poison(name, schedule, nextRunAt);
    await fleet.planner.runOnce();
    expect(await findTask(fleet.db, name)).toMatchObject({
      planError: expect.stringMatching(/an instant in that range|at: /),
    });
    await deleteTask(fleet.db, name, by('test'));
    expect(await findTask(fleet.db, name)).toBeNull();
  });

  it('can be deleted where Postgres refuses its runs', async () => {
    await fleet.save({ name: 'refused-at-delete', schedule: daily });
    await beyondTime('refused-at-delete');
    await wasDue(fleet.db, 'refused-at-delete', 100);
    await deleteTask(fleet.db, 'refused-at-delete', by('test'));
    expect(await findTask(fleet.db, 'refused-at-delete')).toBeNull();
  });
});

it('saves nothing where nothing has changed, and a version where something has', async () => {
  const task = { name: 'saved', schedule: everyMinute };
  expect(await fleet.save(task)).toEqual({ kind: 'created', version: 1 });
  expect(await fleet.save(task)).toEqual({ kind: 'unchanged', version: 1 });
  expect(await fleet.save({ ...task, payload: { a: 1 } })).toEqual({ kind: 'updated', version: 2 });
});

it('never fires retroactively after an edit, and loses nothing that was already due', async () => {
  await fleet.save({ name: 'edited', schedule: everyMinute });
  await wasDue(fleet.db, 'edited', 2 * HOUR);
  await fleet.save({ name: 'edited', schedule: halfway(HOUR) });
  const rows = await fleet.runs('edited');
  expect(rows.reduce((sum, row) => sum + row.occurrences, 0)).toBeGreaterThanOrEqual(120);
  const { rows: tasks } = await fleet.db.pool.query(
    `SELECT next_run_at > now() AS ahead FROM task JOIN task_plan ON task_id = id WHERE name = 'edited'`,
  );
  expect(tasks[0]).toEqual({ ahead: true });
});

it('adopts a planned run of the same instant when only the payload is edited', async () => {
  await fleet.save({ name: 'adopted', schedule: { kind: 'every', everyMs: 5000 } });
  await fleet.db.pool.query(
    `UPDATE task_plan SET next_run_at = next_run_at WHERE task_id IN (SELECT id FROM task WHERE name = 'adopted')`,
  );
  await fleet.planner.runOnce();
  const before = await fleet.runs('adopted');
  await fleet.save({ name: 'adopted', schedule: { kind: 'every', everyMs: 5000 }, payload: { edited: true } });
  await fleet.planner.runOnce();
  const after = await fleet.runs('adopted');
  for (const row of before) expect(after.map(({ id }) => id)).toContain(row.id);
  const future = after.filter((row) => row.scheduled_for.getTime() > (before[0]?.scheduled_for.getTime() ?? 0));
  for (const row of future) expect(row.task_version).toBe(2);
});

it('takes a planned run out of its old pool when the pool is edited', async () => {
  const schedule = { kind: 'every', everyMs: 5000 } as const;
  await fleet.save({ name: 'moved', schedule });
  await fleet.planner.runOnce();
  await fleet.save({ name: 'moved', schedule, pool: 'elsewhere' });
  await fleet.planner.runOnce();
  const { rows } = await fleet.db.pool.query(
    `SELECT r.id, r.pool, r.dispatch FROM run r JOIN task t ON t.id = r.task_id
     WHERE t.name = 'moved' AND r.plan_epoch = t.plan_epoch`,
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { id, pool, dispatch } of rows) {
    expect(await fleet.queue.present([{ queue: `${pool}+shell`, runId: id, dispatch }])).toEqual([true]);
    // The old job carries a dispatch number that is no longer the row's: begin refuses it.
    expect(await fleet.queue.present([{ queue: 'default+shell', runId: id, dispatch }])).toEqual([false]);
  }
});

it('saves over a task that cannot be planned any more', async () => {
  const schedule = { kind: 'cron', expression: '* * * * *', timeZone: 'UTC' } as const;
  await fleet.save({ name: 'gone-zone', schedule });
  await fleet.db.pool.query(
    `UPDATE task SET definition = jsonb_set(definition, '{schedule,timeZone}', '"Mars/Base"') WHERE name = 'gone-zone'`,
  );
  await wasDue(fleet.db, 'gone-zone', 1000);
  expect(await fleet.save({ name: 'gone-zone', schedule })).toMatchObject({ kind: 'updated' });
});

it.each([
  [
    'an unknown zone',
    { schedule: { kind: 'cron', expression: '0 2 * * *', timeZone: 'Europe/Berln' } },
    /Europe\/Berlin/,
  ],
  ['an impossible date', { schedule: { kind: 'cron', expression: '0 0 31 2 *', timeZone: 'UTC' } }, /31 2 \*/],
  ['NUL in the payload', { payload: { a: 'x\0y' } }, /NUL/],
  ['a prototype key', { payload: JSON.parse('{"__proto__": 1}') }, /__proto__/],
  ['a payload over 64 KiB', { payload: 'x'.repeat(70_000) }, /65536|bytes/],
  ['a key that names a missing field', { key: 'k:{{payload.x}}', schedule: everyMinute }, /payload\.x/],
] as const)('refuses %s before it is saved', async (_, part, said) => {
  const task = { name: 'refused', handler: { type: 'shell', command: 'true' }, ...part };
  const saving = saveTask(fleet.db, task as never, { source: 'test', by: by('test') });
  await expect(saving).rejects.toMatchObject({ name: expect.stringContaining('Error'), code: expect.any(String) });
  await saving.catch((error) => expect(`${error.message} ${error.fix}`).toMatch(said));
});

it('refuses an unknown handler type', async () => {
  const task = { name: 'refused', handler: { type: 'shel', command: 'true' } };
  await expect(saveTask(fleet.db, task as never, { source: 'test', by: by('test') })).rejects.toThrow(/handler/);
});

it('refuses a limit that disagrees with another task of the key', async () => {
  await fleet.save({ name: 'limit-one', key: 'shared', limit: 1 });
  await expect(fleet.save({ name: 'limit-two', key: 'shared', limit: 2 })).rejects.toMatchObject({
    code: 'limit_disagrees',
  });
});

it('is not held up by a crowd of paused tasks', async () => {
  for (let index = 0; index < 120; index++) await fleet.save({ name: `paused-${index}`, schedule: everyMinute });
  await fleet.save({ name: 'behind-the-crowd', schedule: everyMinute });
  await fleet.db.pool.query(
    `INSERT INTO task_pause (task_id, from_at, created_by) SELECT id, now(), 'test' FROM task WHERE name LIKE 'paused-%'`,
  );
  await fleet.db.pool.query(
    `UPDATE task_plan SET plan_seq = plan_seq + 1, next_run_at = now() + CASE WHEN name LIKE 'paused-%' THEN 1900 ELSE 2000 END * interval '1 ms'
     FROM task WHERE id = task_id AND (name LIKE 'paused-%' OR name = 'behind-the-crowd')`,
  );
  await fleet.planner.runOnce();
  expect(await fleet.runs('behind-the-crowd')).not.toEqual([]);
  expect(await fleet.runs('paused-0')).toEqual([]);
});
