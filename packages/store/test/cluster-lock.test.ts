import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { holdClusterLock, openDatabase, readPasses, releaseClusterLock } from '../src/index.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

const hold = (holder: string) => holdClusterLock(db, { name: 'lane', holder, everyMs: 60_000, holdMs: 180_000 });

/** As if the last pass had been so long ago. */
async function pass(minutes: number): Promise<void> {
  await db.pool.query(
    `UPDATE cluster_lock SET taken_at = taken_at - $1 * interval '1 min', held_until = held_until - $1 * interval '1 min'`,
    [minutes],
  );
}

it('keeps others out while it is held, until its holder is taken for dead', async () => {
  expect(await hold('a')).toBe(true);
  expect(await hold('a')).toBe(true);
  await pass(2.5);
  expect(await hold('b')).toBe(false);
  await pass(1);
  expect(await hold('b')).toBe(true);
  await releaseClusterLock(db, 'lane', 'b');
});

it('gives the next pass to who had the last one, and to another only when that one has missed it', async () => {
  expect(await hold('b')).toBe(false);
  await pass(1.1);
  expect(await hold('a')).toBe(false);
  expect(await hold('b')).toBe(true);
  await releaseClusterLock(db, 'lane', 'b');
  await pass(2.1);
  expect(await hold('a')).toBe(true);
});

it('says when a pass of each lane of the reconciler last began, and of nothing else', async () => {
  await holdClusterLock(db, { name: 'reconciler', holder: 'a', everyMs: 60_000, holdMs: 180_000 });
  await pass(3);
  await holdClusterLock(db, { name: 'queue-reconciler', holder: 'b', everyMs: 60_000, holdMs: 180_000 });
  const passes = await readPasses(db);
  expect([...passes.keys()]).toEqual(['queue-reconciler', 'reconciler']);
  const [queue = new Date(0), ledger = new Date(0)] = passes.values();
  expect(queue.getTime() - ledger.getTime()).toBeGreaterThanOrEqual(180_000);
});
