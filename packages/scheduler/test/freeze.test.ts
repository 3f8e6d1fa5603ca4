import { DAY } from '@escapement/core';
import { freezeFleet, triggerTask, unfreezeFleet } from '@escapement/operations';
import { findTask, readFreeze } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet, wasDue } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'moving');
const schedule = { kind: 'every', everyMs: DAY } as const;
const back = (span: string) =>
  db.pool.query('UPDATE fleet_freeze SET from_at = from_at - $1::interval, until_at = until_at - $1::interval', [span]);

test('what falls due in a freeze is skipped, of every task and with its note; what people start is run', async () => {
  await fleet.save({ name: 'daily', schedule });
  await fleet.save({ name: 'by-hand' });
  await freezeFleet(db, null, ANN);
  await back('1 minute');
  await wasDue(db, 'daily', 1000);
  await triggerTask(db, 'by-hand', { by: ANN });
  await fleet.planner.runOnce();
  expect(await fleet.runs('daily')).toMatchObject([{ state: 'skipped', reason: 'the fleet was frozen: moving' }]);
  expect(await fleet.runs('by-hand')).toMatchObject([{ state: 'planned' }]);
});

test('what is due ahead waits for the end of the freeze, and goes on when it is ended', async () => {
  await fleet.save({ name: 'ahead', schedule });
  await wasDue(db, 'ahead', -4000);
  await fleet.planner.runOnce();
  expect(await fleet.runs('ahead')).toEqual([]);
  expect(await unfreezeFleet(db, ANN)).toBe(true);
  expect(await readFreeze(db)).toBeNull();
  await fleet.planner.runOnce();
  expect((await fleet.runs('ahead'))[0]).toMatchObject({ state: expect.stringMatching(/planned|queued/) });
  expect((await findTask(db, 'ahead'))?.pauses).toEqual([]);
});

test('a freeze ends by itself: what is due after its end is planned, and what was due in it is skipped', async () => {
  await db.pool.query('DELETE FROM fleet_freeze');
  await freezeFleet(db, new Date('2999-01-01T00:00:00Z'), ANN);
  await db.pool.query(
    `UPDATE fleet_freeze SET from_at = now() - interval '1 h', until_at = now() - interval '4 s' WHERE until_at > now()`,
  );
  await fleet.save({ name: 'over', schedule });
  await fleet.save({ name: 'within', schedule });
  await wasDue(db, 'over', 1000);
  await wasDue(db, 'within', 10_000);
  await fleet.planner.runOnce();
  expect((await fleet.runs('over'))[0]).toMatchObject({ state: expect.stringMatching(/planned|queued/) });
  expect((await fleet.runs('within'))[0]).toMatchObject({ state: 'skipped' });
});
