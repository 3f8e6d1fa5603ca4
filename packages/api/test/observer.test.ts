import { SECOND } from '@escapement/core';
import { changesAfter, openDatabase } from '@escapement/store';
import { runningRun, testDatabase } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { createObserver } from '../src/events/observer.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'observer test' });
afterAll(() => db.close());

/** How often the end of a run was told. */
async function told(runId: string): Promise<number> {
  const batches = await changesAfter(db, 0, 1000);
  return batches.filter(({ changes }) => JSON.stringify(changes).includes(`"${runId}"`)).length;
}

let runs = 0;

/** An end that was written so long ago and is seen now, as that of a transaction that took so long. */
async function lateEnd(agoMs: number): Promise<string> {
  const runId = await runningRun(db, `watched-${++runs}`);
  const end = `UPDATE run SET state = 'succeeded', finished_at = now() - $2 * interval '1 ms' WHERE id = $1`;
  await db.pool.query(end, [runId, agoMs]);
  return runId;
}

test('an end is told by the next look, and once; one that is seen late by one of the next four', async () => {
  const observer = createObserver(db, { holder: 'one', deadMs: 10 * SECOND });
  const looks = async (count: number) => {
    for (let look = 0; look < count; look++) expect(await observer.look()).toBe(true);
  };
  await looks(1);
  const soon = await lateEnd(0);
  await looks(1);
  expect(await told(soon)).toBe(1);
  const late = await lateEnd(3 * SECOND);
  await looks(1);
  expect(await told(late)).toBe(0);
  await looks(3);
  expect([await told(late), await told(soon)]).toEqual([1, 1]);
  await looks(8);
  expect([await told(late), await told(soon)]).toEqual([1, 1]);
});

test('who takes over the looking tells of late ends at once', async () => {
  const first = createObserver(db, { holder: 'first', deadMs: 10 * SECOND });
  await db.pool.query('UPDATE change_writer SET held_until = now()');
  await first.look();
  await first.stop();
  const late = await lateEnd(3 * SECOND);
  const second = createObserver(db, { holder: 'second', deadMs: 10 * SECOND });
  await second.look();
  expect(await told(late)).toBe(1);
});
