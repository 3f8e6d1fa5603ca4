import { randomUUID } from 'node:crypto';
import { ManualClock } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { createReconcilerLoop } from '../src/reconciler/reconciler-loop.ts';

const fleet = await testFleet();
// A single connection, in a transaction: the clock of Postgres stands still.
const frozen = openDatabase({
  url: fleet.db.url,
  applicationName: 'test',
  connections: 1,
  idleInTransactionTimeoutMs: 60_000,
});
afterAll(() => frozen.close());

beforeEach(() => frozen.hot.query('BEGIN'));
afterEach(() => frozen.hot.query('ROLLBACK'));

/** A lane that counts its passes. */
function aLoop(name: string, db = frozen, heal: () => Promise<unknown> = async () => undefined) {
  let passes = 0;
  const step = {
    name: 'step',
    async heal() {
      passes += 1;
      await heal();
      return { counts: {}, more: false };
    },
  };
  const loop = createReconcilerLoop(name, [step], {
    db,
    clock: new ManualClock(),
    mayWork: () => true,
    emit: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  return { lane: loop, passes: () => passes };
}

// Postgres keeps it in whole milliseconds.
const takenAgo = (name: string, ms: number) =>
  frozen.hot.query(`UPDATE cluster_lock SET taken_at = now() - $1 * interval '1 ms' WHERE name = $2`, [ms, name]);

it('others are kept out for two seconds after a pass', async () => {
  const name = randomUUID();
  await aLoop(name).lane.runOnce();
  const { rows } = await frozen.hot.query(
    `SELECT abs(extract(epoch FROM held_until - now()) - 2) < 0.002 AS is_held FROM cluster_lock WHERE name = $1`,
    [name],
  );
  expect(rows).toEqual([{ is_held: true }]);
});

it('where a lane has stopped another one has the next pass once two turns of 900 ms are over', async () => {
  const name = randomUUID();
  const [first, second] = [aLoop(name), aLoop(name)];
  await first.lane.runOnce();
  await first.lane.stop();
  await takenAgo(name, 1798);
  await second.lane.runOnce();
  expect(second.passes()).toBe(0);
  await takenAgo(name, 1802);
  await second.lane.runOnce();
  expect(second.passes()).toBe(1);
});

it('a lane that stops waits for the pass under way', async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { lane: loop } = aLoop(randomUUID(), fleet.db, async () => {
    begin();
    await finished;
  });
  loop.start();
  await begun;
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  // Longer than it takes to stop where nothing is under way.
  for (let asked = 0; asked < 50; asked++) await fleet.db.pool.query('SELECT 1');
  expect(hasStopped).toBe(false);
  finish();
  await stopped;
});
