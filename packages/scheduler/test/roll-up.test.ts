import { HOUR } from '@escapement/core';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createRollUp } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;

it('rolls up until all that is over is rolled up, then waits, and goes on when a run ends late', async () => {
  const rollUp = createRollUp({ db, onError: fail });
  await fleet.save({ name: 'hourly', schedule: { kind: 'every', everyMs: HOUR } });
  await db.pool.query(`UPDATE task SET created_at = now() - interval '5 h'`);
  const waits: number[] = [];
  do waits.push(await rollUp.runOnce());
  while ((await behind()) > 2 && waits.length < 100);
  expect(waits.slice(1, -1).every((ms) => ms > 0)).toBe(true);
  expect(await behind()).toBeLessThanOrEqual(2);
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
