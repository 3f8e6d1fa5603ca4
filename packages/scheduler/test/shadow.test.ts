import { halfway, testFleet, wasDue } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const HOUR = 3_600_000;
const shadow = { line: '0123456789ab' };

it('a task in the shadow of cron has a row for what was due, that says so, and nothing runs; out of it, what is due runs', async () => {
  await fleet.save({ name: 'backup', schedule: halfway(HOUR), shadow });
  await wasDue(fleet.db, 'backup', 100);
  await fleet.planner.runOnce();
  expect(await fleet.runs('backup')).toMatchObject([{ state: 'skipped', reason: 'in the shadow of cron', attempt: 0 }]);
  await fleet.save({ name: 'backup', schedule: halfway(HOUR) });
  await wasDue(fleet.db, 'backup', 100);
  await fleet.planner.runOnce();
  expect((await fleet.runs('backup')).at(-1)).toMatchObject({ state: 'queued' });
});

it('what is due soon is left until it is due, and no repeatable job is made for it', async () => {
  await fleet.save({ name: 'dense', schedule: { kind: 'every', everyMs: 5000 }, shadow });
  await fleet.db.pool.query(
    `UPDATE task_plan SET next_run_at = now() + interval '4 s', plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = 'dense')`,
  );
  await fleet.planner.runOnce();
  expect(await fleet.runs('dense')).toEqual([]);
});
