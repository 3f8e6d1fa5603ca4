import type { RunState } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { ago, begun, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

let named = 0;

async function queued(): Promise<QueuedFixture> {
  const name = `task-${named++}`;
  const [run] = await queueRuns(db, [{ taskId: await makeTask(db, { name }), key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  return run;
}

async function taken(run: { runId: string | null; scheduledFor: Date }, sinceMs = MINUTE): Promise<boolean> {
  const { rows } = await db.pool.query('SELECT slot_taken($1, $2, $3) AS taken', [
    ...[run.runId, run.scheduledFor, ago(sinceMs)],
  ]);
  return rows[0].taken;
}

/** Not yet over for a minute. */
const NOW = -MINUTE;

it.each<[RunState, number, number, boolean]>([
  ['running', 1, MINUTE, true],
  ['retrying', 1, MINUTE, true],
  ['queued', 1, MINUTE, true],
  ['planned', 1, MINUTE, true],
  ['queued', 0, MINUTE, false],
  ['planned', 0, MINUTE, false],
  ['queued', 0, NOW, true],
  ['planned', 0, NOW, true],
  ['waiting', 0, NOW, true],
  ['waiting', 0, MINUTE, false],
  ['waiting', 1, MINUTE, false],
  ['unknown', 1, NOW, false],
  ['held', 0, NOW, false],
  ['failed', 1, NOW, false],
  ['succeeded', 1, NOW, false],
])('of a run that is %s after %i attempts, where the slot was given %i ms ago, whether it is taken', async (...row) => {
  const [state, attempt, sinceMs, expected] = row;
  const run = await queued();
  await db.pool.query(
    `UPDATE run SET state = $2, attempt = $3, worker = 'w', fence = 1, started_at = now(), waiting_since = now(), reason = 'so',
       finished_at = CASE WHEN $2 IN ('failed', 'succeeded') THEN now() END WHERE id = $1`,
    [run.runId, state, attempt],
  );
  expect(await taken(run, sinceMs)).toBe(expected);
});

it('a slot without a run is free, as is one of a run that is not there', async () => {
  const run = await queued();
  await begun(db, [run]);
  expect(await taken({ ...run, runId: null }, NOW)).toBe(false);
  expect(await taken({ ...run, scheduledFor: ago(2 * MINUTE) }, NOW)).toBe(false);
});

it('another run of the same instant does not keep a slot', async () => {
  const [run, neighbour] = [await queued(), await queued()];
  await db.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [neighbour.runId, run.scheduledFor]);
  await begun(db, [{ ...neighbour, scheduledFor: run.scheduledFor }]);
  expect(await taken(run)).toBe(false);
});
