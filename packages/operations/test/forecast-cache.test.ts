import { DAY, HOUR, systemClock } from '@escapement/core';
import { writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import {
  createForecastCache,
  createRowsAheadCache,
  deleteTask,
  type ForecastAsked,
  forecastView,
  freezeFleet,
  pauseTask,
  readForecast,
  resumeTask,
  rowsAhead,
  saveCalendar,
  saveTask,
  unfreezeFleet,
} from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'a reason');
const handler = { type: 'shell', command: 'true' } as const;
const hourly = { name: 'hourly', handler, schedule: { kind: 'every', everyMs: HOUR } } as const;
await saveTask(db, hourly, { source: 'test', by: ANN });
const from = new Date(Math.ceil(systemClock.now().getTime() / DAY) * DAY);
const asked: ForecastAsked = { from, to: new Date(from.getTime() + DAY), pieces: [from], deadMs: 60_000 };

let made = 0;
const counting: typeof readForecast = async (...given) => {
  made += 1;
  return await readForecast(...given);
};
const cache = createForecastCache(counting);
const other = createForecastCache(counting);

/** How often a forecast was made for it, which is always as one that is made anew. */
async function makes(asks: ForecastAsked = asked): Promise<number> {
  const before = made;
  const view = await cache.read(db, asks);
  const { load: _, ...fresh } = await readForecast(db, asks);
  expect(view).toEqual(forecastView(fresh));
  return made - before;
}

test('what was asked before is not made anew, and what is asked otherwise is', async () => {
  expect([await makes(), await makes(), await makes()]).toEqual([1, 0, 0]);
  expect(await makes({ ...asked, pool: 'default' })).toBe(1);
  expect(await makes({ ...asked, to: new Date(asked.to.getTime() + 1) })).toBe(1);
  expect(await makes()).toBe(0);
});

test('asked by many at once, it is made once', async () => {
  const asks = { ...asked, key: 'hourly' };
  const before = made;
  const views = await Promise.all(Array.from({ length: 5 }, () => cache.read(db, asks)));
  // Each asks for the version by itself; whoever comes first makes it.
  expect([made - before, new Set(views).size]).toEqual([1, 1]);
});

/** Of what is undone, the answer of before is right again. */
const UNDONE = 0;

test.each<[string, () => Promise<unknown>, number?]>([
  ['a task is new', () => saveTask(db, { ...hourly, name: 'new' }, { source: 'test', by: ANN })],
  [
    'a task is changed',
    () => saveTask(db, { ...hourly, schedule: { kind: 'every', everyMs: 2 * HOUR } }, { source: 'test', by: ANN }),
  ],
  ['a task is paused', () => pauseTask(db, 'hourly', null, ANN)],
  ['a task is resumed', () => resumeTask(db, 'hourly', ANN), UNDONE],
  ['a task is deleted', () => deleteTask(db, 'new', ANN)],
  ['the fleet is frozen', () => freezeFleet(db, null, ANN)],
  ['the fleet is unfrozen', () => unfreezeFleet(db, ANN), UNDONE],
  ['a calendar is new', () => saveCalendar(db, 'nights', { timeZone: 'UTC', entries: [{ hours: ['22-6'] }] }, ANN)],
  [
    'it is known how long runs take',
    () =>
      db.pool.query(
        `INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, 9, 60000, 90000 FROM task WHERE name = 'hourly'`,
      ),
  ],
  [
    'a worker comes',
    () =>
      writeHeartbeat(
        db,
        { id: 'w', role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['default'], name: 'w', concurrency: 7 },
        { activeRuns: [], clockOffsetMs: 0 },
      ),
  ],
])('it is as one made anew once %s, on each replica', async (_, change, makesIt = 1) => {
  await cache.read(db, asked);
  await other.read(db, asked);
  await change();
  expect(await makes()).toBe(makesIt);
  expect(await other.read(db, asked)).toEqual(await cache.read(db, asked));
});

test('an answer during which something has changed is not kept', async () => {
  const racing = createForecastCache(async (...given) => {
    made += 1;
    await pauseTask(db, 'hourly', null, ANN);
    return await readForecast(...given);
  });
  await racing.read(db, asked);
  await resumeTask(db, 'hourly', ANN);
  const before = made;
  await racing.read(db, asked);
  expect(made - before).toBe(1);
  await resumeTask(db, 'hourly', ANN);
});

test('what each task will start is made anew once a task has changed, and not before', async () => {
  let rowsMade = 0;
  const rows = createRowsAheadCache(async (...given) => {
    rowsMade += 1;
    return await rowsAhead(...given);
  });
  const asks = { by: 'task', ahead: [asked.from], to: asked.to } as const;
  const before = await rows.read(db, asks);
  expect([await rows.read(db, asks), rowsMade]).toEqual([before, 1]);
  await saveTask(db, { ...hourly, name: 'more' }, { source: 'test', by: ANN });
  const after = await rows.read(db, asks);
  expect([after.rows.map(({ name }) => name).includes('more'), rowsMade]).toEqual([true, 2]);
});

test('what cannot be made is tried anew', async () => {
  const asks = { ...asked, pool: 'nowhere' };
  await expect(cache.read(db, asks)).rejects.toMatchObject({ code: 'unknown_pool' });
  await expect(cache.read(db, asks)).rejects.toMatchObject({ code: 'unknown_pool' });
});
