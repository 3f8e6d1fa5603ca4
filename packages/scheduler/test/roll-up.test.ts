import { HOUR } from '@escapement/core';
import { eventually } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createRollUp } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;

it('rolls up until all that is over is rolled up, then waits, and goes on when a run ends late', {
  timeout: 90_000,
}, async () => {
  const rollUp = createRollUp({ db, onError: fail });
  await fleet.save({ name: 'hourly', schedule: { kind: 'every', everyMs: HOUR } });
  await db.pool.query(`UPDATE task SET created_at = now() - interval '5 h'`);
  const waits: number[] = [];
  // It waits for transactions of the whole server, those of other tests as well.
  await eventually(async () => {
    waits.push(await rollUp.runOnce());
    expect(await behind()).toBeLessThanOrEqual(2);
  }, 60_000);
  expect(waits.slice(1, -1).every((ms) => ms > 0)).toBe(true);
  await db.pool.query(
    `INSERT INTO task_hour_stale (namespace, task_id, hour) SELECT namespace, id, date_bin('1 hour', now() - interval '4 h', 'epoch') FROM task`,
  );
  await rollUp.runOnce();
  expect((await db.pool.query('SELECT FROM task_hour_stale')).rowCount).toBe(0);
});

/** Hours that are not rolled up, the present one included. */
async function behind(): Promise<number> {
  const { rows } = await db.pool.query<{ hours: number }>(
    'SELECT (extract(epoch FROM now() - rolled_until) / 3600)::float8 AS hours FROM roll_up',
  );
  return rows[0]?.hours ?? 99;
}

function fail(error: unknown): void {
  throw error;
}
