import { HOUR } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { hourlyOutcomes, taskOutcomes } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';
import { addRun, after, countedTask, FIRST, rollUps, UNTIL } from './rolled-up.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

await rollUps(one);
const counted = await countedTask(one, 'counted');
const beside = await countedTask(one, 'counted-beside');

const HOURS = [
  { from: after(FIRST, -HOUR), succeeded: 1, missed: 0 },
  { from: FIRST, succeeded: 2, missed: 0 },
  { from: after(FIRST, HOUR), succeeded: 4, missed: 0 },
  { from: UNTIL, succeeded: 0, missed: 32 },
  { from: after(UNTIL, HOUR), succeeded: 0, missed: 64 },
];

const byHour = async (taskId: string, since: Date, { db = one, timeZone = 'UTC' } = {}) =>
  await taskOutcomes(db, { taskId, since, by: 'hour', timeZone });

it.each([
  ['an hour before', after(FIRST, -HOUR), 0],
  ['the middle of that hour', after(FIRST, -HOUR / 2), 0],
  ['a full hour', FIRST, 1],
  ['where nothing is rolled up', UNTIL, 3],
])(
  'hours that are rolled up are counted there, what is after them in the ledger: from %s',
  async (_, since, skipped) => {
    expect(await byHour(counted, since)).toMatchObject(HOURS.slice(skipped));
    expect(await byHour(beside, since)).toMatchObject(HOURS.slice(skipped));
  },
);

it('hours are those of UTC, whatever the zone; days are those of the zone', async () => {
  const timeZone = 'Asia/Kolkata';
  const hours = await byHour(counted, FIRST, { timeZone });
  expect(hours).toMatchObject(HOURS.slice(1));
  expect(hours[0]?.to).toEqual(after(FIRST, HOUR));
  const [day] = await taskOutcomes(one, { taskId: counted, since: FIRST, by: 'day', timeZone });
  expect(day?.from.toISOString()).toMatch(/T18:30:00/);
  expect(day?.to).toEqual(after(day?.from ?? FIRST, 24 * HOUR));
});

it('of a task of another namespace nothing is told', async () => {
  expect(await byHour(counted, FIRST, { db: other })).toEqual([]);
});

const AT = ago(10 * MINUTE);
const NOTHING = { succeeded: 0, failed: 0, skipped: 0, missed: 0, cancelled: 0 };

it.each([
  ['succeeded', { state: 'succeeded', tookMs: 1000 }, { succeeded: 1 }, true],
  ['failed', { state: 'failed', tookMs: 1000 }, { failed: 1 }, true],
  ['timed out', { state: 'timed_out', tookMs: 1000 }, { failed: 1 }, true],
  ['was quarantined', { state: 'quarantined', tookMs: 1000 }, { failed: 1 }, true],
  ['failed before it began', { state: 'failed' }, { failed: 1 }, false],
  ['was skipped', { state: 'skipped', occurrences: 7 }, { skipped: 7 }, false],
  ['was skipped by its handler', { state: 'skipped', tookMs: 1000 }, { skipped: 1 }, false],
  ['was missed', { state: 'missed', occurrences: 7 }, { missed: 7 }, false],
  ['was cancelled while it ran', { state: 'cancelled', tookMs: 1000 }, { cancelled: 1 }, false],
  ['was superseded', { state: 'superseded' }, { cancelled: 1 }, false],
  [
    'was resolved by a person',
    { state: 'succeeded', tookMs: 1000, reason: 'resolved as succeeded by ann' },
    { succeeded: 1 },
    false,
  ],
] as const)('a run that %s', async (why, run, told, isTimed) => {
  const taskId = await makeTask(one, { name: why.replaceAll(' ', '-') });
  await addRun(one, taskId, { at: AT, ...run });
  const outcomes = await byHour(taskId, ago(3 * HOUR));
  expect(outcomes).toMatchObject([{ ...NOTHING, ...told }]);
  if (isTimed) expect(outcomes[0]?.p99Ms).toBeCloseTo(1000, -2);
  else expect(outcomes[0]).toMatchObject({ p50Ms: null, p95Ms: null, p99Ms: null });
  const { succeeded, failed, missed, skipped, cancelled } = { ...NOTHING, ...told };
  expect(await hourlyOutcomes(one, { taskIds: [taskId], from: ago(3 * HOUR), to: ago(0) })).toMatchObject([
    { taskId, succeeded, failed, missed, notRun: skipped + cancelled },
  ]);
});

it('an hour in which nothing has ended is not told', async () => {
  const taskId = await makeTask(one, { name: 'open' });
  await addRun(one, taskId, { at: AT, state: 'queued' });
  expect(await byHour(taskId, ago(3 * HOUR))).toEqual([]);
  expect(await hourlyOutcomes(one, { taskIds: [taskId], from: ago(3 * HOUR), to: ago(0) })).toEqual([]);
});

const hourly = async (from: Date, to: Date, { db = one, taskIds = [counted] } = {}) =>
  (await hourlyOutcomes(db, { taskIds, from, to })).toSorted((first, second) => +first.hour - +second.hour);
const asHourly = ([first, end]: readonly number[]) =>
  HOURS.slice(first, end).map(({ from, ...more }) => ({ taskId: counted, hour: from, ...more, failed: 0, notRun: 0 }));

it.each([
  ['a full hour', FIRST, ago(0), [1]],
  ['an hour before', after(FIRST, -HOUR), ago(0), [0]],
  ['the middle of an hour, without that', after(FIRST, -HOUR / 2), ago(0), [1]],
  ['a full hour to another one that is rolled up', FIRST, after(FIRST, HOUR), [1, 2]],
  ['a full hour to where nothing is rolled up', FIRST, UNTIL, [1, 3]],
  ['a full hour to one that is not rolled up', FIRST, after(UNTIL, HOUR), [1, 4]],
  ['where nothing is rolled up', UNTIL, ago(0), [3]],
] as const)('of several tasks, hours are told from %s', async (_, from, to, which) => {
  expect(await hourly(from, to)).toEqual(asHourly(which));
});

it('of several tasks, those asked for are told, of the namespace', async () => {
  const both = await hourly(FIRST, after(FIRST, HOUR), { taskIds: [counted, beside] });
  expect(both.map(({ taskId }) => taskId).toSorted()).toEqual([counted, beside].toSorted());
  expect(await hourly(FIRST, ago(0), { db: other })).toEqual([]);
});
