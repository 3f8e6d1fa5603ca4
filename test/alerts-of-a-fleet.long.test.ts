import { SECOND } from '@escapement/core';
import { eventually } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { alertStage, shell } from './alerts/stage.ts';

// Conditions that come true on a fleet of real processes, and what a receiver hears of them. Others are in alerts-of-*.waits.test.ts.

/** Where one fact is waited for after the other, and the machine is busy. */
const RECEIVED_MS = 30 * SECOND;

const { db, received, answers, notified, receives, rules, save, trigger, start, cli } = await alertStage();
const TASKS = [
  { name: 'broken', ...shell('echo about to fail; test -e /nowhere') },
  { name: 'late', pool: 'nobody', ...shell('true') },
  { name: 'slow', ...shell('sleep 60') },
  { name: 'empty', ...shell('true') },
  { name: 'old', ...shell('true') },
];
await save(...TASKS);
await rules([
  { name: 'failed', when: { kind: 'failed' }, severity: 'critical' },
  { name: 'late', when: { kind: 'late', afterMs: 10_000 } },
  { name: 'no-worker', when: { kind: 'no-worker' } },
  { name: 'slow', when: { kind: 'slow', afterMs: 1000 } },
  { name: 'silent', when: { kind: 'silent', afterMs: 5000 } },
  { name: 'empty', when: { kind: 'suspicious', minLogBytes: 1 }, on: { task: 'empty' } },
  { name: 'old', when: { kind: 'no-success', forMs: 60_000 }, on: { task: 'old' } },
]);
await db.pool.query(`UPDATE task SET created_at = now() - interval '2 min' WHERE name = 'old'`);
const [scheduler] = await Promise.all([start('scheduler'), start('worker')]);

it('each condition is told when it comes true, and when it is over', { timeout: 120_000 }, async () => {
  const late = await trigger('late');
  const slow = await trigger('slow');
  for (const task of ['broken', 'empty']) await trigger(task);
  for (const rule of ['failed', 'no-worker', 'slow', 'silent', 'empty', 'old'])
    await receives(rule, 'firing', RECEIVED_MS);
  expect(notified('failed', 'firing')).toMatchObject([
    { summary: 'broken failed', labels: { task: 'broken', severity: 'critical' }, logTail: 'about to fail' },
  ]);
  // Nothing of a pool without a worker is told beside that.
  await eventually(
    async () => expect((await cli(['alerts', 'list'])).stdout).toMatch(/firing, not told.*late is late/),
    RECEIVED_MS,
  );
  expect(notified('late', 'firing')).toEqual([]);

  await save({ name: 'broken', ...shell('true') }, { name: 'empty', ...shell('echo rows') });
  for (const id of [late, slow]) await cli(['runs', 'cancel', id]);
  for (const task of ['broken', 'empty', 'old']) await trigger(task);
  for (const rule of ['failed', 'no-worker', 'slow', 'silent', 'empty', 'old'])
    await receives(rule, 'resolved', RECEIVED_MS);
  expect((await cli(['alerts', 'list'])).stderr).toContain('nothing is wrong');
  const marked = await db.pool.query(
    "SELECT r.state FROM run_mark m JOIN run r ON r.id = m.run_id WHERE m.rule = 'empty'",
  );
  expect(marked.rows).toEqual([{ state: 'succeeded' }]);
});

it('a scheduler that is killed before it could tell: the next one tells, once', { timeout: 120_000 }, async () => {
  received.length = 0;
  answers(503);
  await save(...TASKS.slice(0, 1));
  await trigger('broken');
  const open = async () =>
    (await db.pool.query("SELECT FROM alert WHERE rule = 'failed' AND state = 'firing'")).rowCount;
  await eventually(async () => expect(await open()).toBe(1), RECEIVED_MS);
  await scheduler.kill();
  answers(200);
  // What it had in hand becomes due again after minutes.
  await db.pool.query("UPDATE delivery SET try_at = now() WHERE state = 'pending'");
  await db.pool.query("UPDATE cluster_lock SET held_until = now(), taken_at = '-infinity' WHERE name = 'alerts'");
  await start('scheduler');
  await receives('failed', 'firing', RECEIVED_MS);
  await save({ name: 'broken', ...shell('true') });
  await trigger('broken');
  await receives('failed', 'resolved', RECEIVED_MS);
  expect(notified('failed', 'firing')).toHaveLength(1);
});
