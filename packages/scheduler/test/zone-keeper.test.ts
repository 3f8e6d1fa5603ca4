import { type EngineEvent, HOUR } from '@escapement/core';
import { knownRules } from '@escapement/operations';
import { findTask, pingDatabase, replanTask, saveZoneVersion } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createZoneKeeper } from '../src/zone-keeper.ts';

const fleet = await testFleet();
const { db } = fleet;
const ZONE = 'Africa/Lagos';
const onError = (error: unknown) => {
  throw error;
};

/** The zone keeper of a process with some release of the data, and what it tells. */
function keeper(tzVersion: string) {
  const events: EngineEvent[] = [];
  const emit = (event: EngineEvent) => void events.push(event);
  return { events, ...createZoneKeeper({ db: fleet.as.scheduler, tzVersion, emit, onError }) };
}

it('a fleet with newer data takes over what older data has planned, and tells of it', async () => {
  // Half a day from now: its hour is over by neither clock.
  const { now } = await pingDatabase(db);
  const expression = `0 ${(now.getUTCHours() + 13) % 24} * * *`;
  await fleet.save({ name: 'nightly', schedule: { kind: 'cron', expression, timeZone: ZONE } });
  const task = await findTask(db, 'nightly');
  if (!task?.nextRunAt) throw new Error('it is not due');
  const right = task.nextRunAt;
  // As a scheduler has left it whose data had the clock two hours ahead.
  const rules = { ...knownRules(ZONE), offset: 7200, changes: [] };
  await saveZoneVersion(db, { name: ZONE, rules, tzVersion: '2000a', expectedVersion: null });
  await replanTask(db, task, { nextRunAt: new Date(right.getTime() - HOUR), from: task.effectiveAt });

  const { events, runOnce } = keeper(process.versions.tz ?? '');
  await runOnce();
  expect(events).toMatchObject([{ event: 'zone_changed', zone: ZONE, replanned: ['nightly'] }]);
  const after = await findTask(db, 'nightly');
  expect(after?.nextRunAt).toEqual(right);
  await runOnce();
  expect(events).toHaveLength(1);
});

it('a release that cannot be compared changes nothing', async () => {
  const { events, runOnce } = keeper('unknown');
  await db.pool.query('DELETE FROM zone_version');
  await runOnce();
  expect(events).toEqual([]);
  expect((await db.pool.query('SELECT FROM zone_version')).rowCount).toBe(0);
});
