import { DAY, HOUR, MINUTE, systemClock } from '@escapement/core';
import { finishedRunOf } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { piecesOf, rowsAhead, withPast } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const cron = (expression: string) => ({ kind: 'cron', expression, timeZone: 'UTC' }) as const;
const shell = { type: 'shell', command: 'true' } as const;
await fleet.save({ name: 'hourly', schedule: cron('0 * * * *'), handler: shell });
await fleet.save({ name: 'daily', schedule: cron('30 4 * * *'), handler: shell, key: 'shared' });
await fleet.save({ name: 'often', schedule: { kind: 'every', everyMs: MINUTE }, handler: shell, key: 'shared' });
await fleet.save({ name: 'by-hand', handler: shell });
for (const name of ['one', 'other'])
  await fleet.save({ name, schedule: cron('15 6 * * *'), handler: shell, key: 'pair' });

async function rowsBy(by: 'task' | 'key', key?: string) {
  const now = systemClock.now();
  const to = new Date(now.getTime() + DAY);
  const step = { step: '1h', timeZone: 'UTC' } as const;
  const past = piecesOf({ from: new Date(now.getTime() - DAY), to: now }, step);
  const ahead = piecesOf({ from: now, to }, step);
  const found = await rowsAhead(db, { by, to, ahead, key });
  return { rows: await withPast(db, found, { past, now }), left: found.left };
}

const total = (counts: readonly number[] | null) => (counts ?? []).reduce((sum, each) => sum + each, 0);

it('has the starts of each task ahead, those with most first; tasks without starts have no row', async () => {
  const { rows, left } = await rowsBy('task');
  const starts = rows.map(({ name, ahead }) => [name, total(ahead)]);
  expect(starts.slice(0, 2)).toEqual([
    ['often', expect.closeTo(1440, -1)],
    ['hourly', 24],
  ]);
  expect(starts.slice(2).toSorted()).toEqual([
    ['daily', 1],
    ['one', 1],
    ['other', 1],
  ]);
  // A piece begins now, and each of the others at an hour: one start each.
  expect(Math.max(...(rows[1]?.ahead ?? []))).toBe(1);
  expect(left).toBe(0);
});

it('puts the tasks of a key together', async () => {
  const { rows } = await rowsBy('key');
  const shared = rows.find(({ name }) => name === 'shared');
  expect(shared?.tasks.map(({ name }) => name).toSorted()).toEqual(['daily', 'often']);
  expect(total(shared?.ahead ?? null)).toBeGreaterThan(1430);
  // Of the same schedule, whose starts are worked out once.
  expect(total(rows.find(({ name }) => name === 'pair')?.ahead ?? null)).toBe(2);
});

it('has only the tasks of a key that is named', async () => {
  const { rows } = await rowsBy('task', 'pair');
  expect(rows.map(({ name }) => name).toSorted()).toEqual(['one', 'other']);
  expect((await rowsBy('key', 'pair')).rows.map(({ name }) => name)).toEqual(['pair']);
  await expect(rowsBy('task', 'pairs')).rejects.toMatchObject({ code: 'unknown_key', fix: 'did you mean pair?' });
});

it('has what became of runs before now, in the piece in which they were due', async () => {
  await finishedRunOf(db, 'hourly', { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false });
  // What has just been due is in the last hour, or, where that has just begun, in the one before.
  const { rows } = await rowsBy('task');
  const past = rows.find(({ name }) => name === 'hourly')?.past ?? [];
  expect(past.slice(-2).reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
  expect(past.slice(0, -2).every(({ failed }) => failed === 0)).toBe(true);
  expect(DAY / HOUR).toBeLessThanOrEqual(past.length);
});
