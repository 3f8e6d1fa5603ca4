import { askBulk, type BulkAsked, triggerTask } from '@escapement/operations';
import { readRequest } from '@escapement/store';
import { by, killAfter } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { BULK_STEPS } from './chaos/scheduler-steps.ts';

// A scheduler that carries out a bulk action is killed after each of its steps, and another one goes on: each run is done
// once, and the result says so.

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'stocktaking');
/** More than a chunk. */
const RUNS = 110;

/** Runs of a new task, in the state that an act is for. */
async function prepare(task: string, state: 'planned' | 'failed' | 'held' | 'unknown'): Promise<void> {
  await fleet.save({ name: task, overlap: { policy: 'allow' } });
  for (let made = 0; made < RUNS; made++) await triggerTask(db, task, { by: ANN });
  if (state !== 'planned')
    await db.pool.query(
      `UPDATE run r SET state = $2, reason = 'a reason', finished_at = CASE WHEN $2 = 'failed' THEN now() END
       FROM task t WHERE t.id = r.task_id AND t.name = $1`,
      [task, state],
    );
}

interface Case {
  action: Exclude<BulkAsked['action'], 'pause' | 'resume' | 'trigger'>;
  from: Parameters<typeof prepare>[1];
  /** The audit's word for it. */
  audited: string;
  /** The function that does it. */
  doer: string;
}

const CASES: readonly Case[] = [
  { action: 'cancel', from: 'planned', audited: 'cancel', doer: 'requestCancel' },
  { action: 'rerun', from: 'failed', audited: 'rerun', doer: 'rerunRuns' },
  { action: 'redrive', from: 'failed', audited: 'redrive', doer: 'rerunRuns' },
  { action: 'resolve', from: 'unknown', audited: 'resolve', doer: 'resolveRun' },
  { action: 'run_held', from: 'held', audited: 'recovery run', doer: 'releaseHeld' },
  { action: 'drop_held', from: 'held', audited: 'recovery drop', doer: 'dropHeld' },
];
const COMMON = ['takeRequests', 'keepProgress', 'answerRequest'];
const kills = CASES.flatMap((each) =>
  BULK_STEPS.filter(({ name }) => name === each.doer || COMMON.includes(name)).map((step) => ({ ...each, step })),
);

/** Passes until an act has an end. */
async function passes(requests: { runOnce: () => Promise<unknown> }, id: string): Promise<void> {
  for (let pass = 0; pass < 10 && !(await readRequest(db, id))?.result; pass++) await requests.runOnce();
}

test.each(kills)('$action: killed after $step.name, it is carried out once by another', async ({ step, ...each }) => {
  const task = `${each.action}-${step.name}`.toLowerCase().replace('_', '-');
  await prepare(task, each.from);
  const id = await askBulk(
    db,
    each.action === 'resolve' ? { action: each.action, task, as: 'failed' } : { action: each.action, task },
    ANN,
  );
  const doomed = await fleet.newReplica(`scheduler-of-${task}`);
  await killAfter(step, () => passes(doomed.requests, id), doomed.die);
  // It is taken for dead.
  await db.pool.query(`UPDATE request SET taken_at = taken_at - interval '20 s' WHERE id = $1`, [id]);
  await passes(fleet.requests, id);
  const result = { total: RUNS, done: RUNS, dropped: 0, passed: 0, refusedCount: 0, refused: [] };
  expect((await readRequest(db, id))?.result).toEqual({ answer: result });
  const { rows } = await db.pool.query(
    `SELECT r.id, count(a.id)::integer AS done,
       (SELECT count(*)::integer FROM run o WHERE o.rerun_of = r.id) AS reruns
     FROM run r JOIN task t ON t.id = r.task_id
     LEFT JOIN audit a ON a.subject = 'run:' || r.id AND a.action = $2
     WHERE t.name = $1 AND r.rerun_of IS NULL GROUP BY r.id, r.scheduled_for`,
    [task, each.audited],
  );
  expect(rows).toHaveLength(RUNS);
  const reruns = each.doer === 'rerunRuns' ? 1 : 0;
  expect(rows.filter((row) => row.done !== 1 || row.reruns !== reruns)).toEqual([]);
});

const releases = kills.filter(({ action }) => action === 'run_held').map(({ step }) => step);

test.each(releases)(
  'killed after $name, another one lets held runs go on in the order that was asked for',
  async (step) => {
    const names = ['early', 'late'].map((name) => `${name}-${step.name}`.toLowerCase());
    for (const name of names) await prepare(name, 'held');
    const order = names.toReversed();
    const id = await askBulk(db, { action: 'run_held', names, order }, ANN);
    const doomed = await fleet.newReplica(`scheduler-of-the-order-${step.name}`.toLowerCase());
    await killAfter(step, () => passes(doomed.requests, id), doomed.die);
    await db.pool.query(`UPDATE request SET taken_at = taken_at - interval '20 s' WHERE id = $1`, [id]);
    await passes(fleet.requests, id);
    const { rows } = await db.pool.query<{ name: string; dueMs: number }>(
      `SELECT t.name, (extract(epoch FROM r.due_at) * 1000)::float8 AS "dueMs" FROM run r JOIN task t ON t.id = r.task_id
     WHERE t.name = ANY ($1) AND r.state = 'planned' ORDER BY r.due_at`,
      [names],
    );
    expect(rows.map(({ name }) => name)).toEqual(order.flatMap((name) => Array<string>(RUNS).fill(name)));
    expect(new Set(rows.map(({ dueMs }) => dueMs)).size).toBe(rows.length);
  },
);
