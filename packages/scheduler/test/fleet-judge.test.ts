import { ManualClock, MINUTE, SECOND, systemClock } from '@escapement/core';
import { DEFAULT_ALERTING } from '@escapement/core/alerts';
import { ensurePartitions } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createFleetJudge } from '../src/alerts/judge-fleet.ts';

const { db } = await testFleet();
const AHEAD_DAYS = 21;
/** How often alerts are judged. */
const PASS_MS = 1500;

/** A judge by the default rules, and how often it has asked for how many days there are partitions. */
function watchedJudge() {
  const clock = new ManualClock();
  const spy = vi.spyOn(db.pool, 'query');
  onTestFinished(() => spy.mockRestore());
  const judge = createFleetJudge({ db, deadMs: 10 * SECOND, redisAwayMs: () => null, clock });
  const asked = () => spy.mock.calls.filter(([query]) => Object(query).name === 'partitioned_days_ahead').length;
  return {
    asked,
    async judgeFor(ms: number): Promise<number> {
      const before = asked();
      for (let passed = 0; passed < ms; passed += PASS_MS) {
        clock.advance(PASS_MS);
        await judge(DEFAULT_ALERTING.rules, { now: clock.now(), since: clock.now() }, false);
      }
      return asked() - before;
    },
  };
}

it('asks once a minute for how many days there are partitions, while there is one for tomorrow', async () => {
  await ensurePartitions(db, systemClock.now(), AHEAD_DAYS);
  const { judgeFor } = watchedJudge();
  expect(await judgeFor(PASS_MS)).toBe(1);
  expect(await judgeFor(MINUTE - PASS_MS)).toBe(0);
  expect(await judgeFor(3 * MINUTE)).toBe(3);
});

it('asks every few seconds while the one for tomorrow is missing', async () => {
  const { rows } = await db.pool.query(`SELECT name FROM partitions_of('run_log_chunk') WHERE to_at > now()`);
  for (const { name } of rows) await db.pool.query(`DROP TABLE ${name}`);
  const { judgeFor } = watchedJudge();
  expect(await judgeFor(MINUTE)).toBeGreaterThan(10);
  await ensurePartitions(db, systemClock.now(), AHEAD_DAYS);
  expect(await judgeFor(4 * SECOND)).toBe(1);
  expect(await judgeFor(30 * SECOND)).toBe(0);
});
