import { newRunId } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { type Database, whatRunHas } from '../src/index.ts';
import { MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other: Database = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const NOTHING = { attempts: false, marks: false, audit: false, batches: false, followers: false };

/** $1: namespace, $2: run, $3: its instant, $4: its task. */
const ATTEMPT = `INSERT INTO attempt (run_id, scheduled_for, attempt, outcome) SELECT $2::uuid, $3::timestamptz, 1, 'failed'
  WHERE $1::text <> '' AND $4::uuid IS NOT NULL`;
const OF_NAMESPACE: [string, keyof typeof NOTHING, string][] = [
  [
    'a mark',
    'marks',
    `INSERT INTO run_mark (namespace, run_id, scheduled_for, rule, detail) SELECT $1::text, $2::uuid, $3::timestamptz, 'slow', 'x'
     WHERE $4::uuid IS NOT NULL`,
  ],
  [
    'an entry of the audit',
    'audit',
    `INSERT INTO audit (namespace, principal_kind, principal_id, principal_name, action, subject)
     SELECT $1::text, 'user', 'ann', 'ann', 'cancel', 'run:' || $2::uuid WHERE $3::timestamptz IS NOT NULL AND $4::uuid IS NOT NULL`,
  ],
  [
    'a batch',
    'batches',
    `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, filled_by, created_at)
     SELECT gen_random_uuid(), $1::text, $2::uuid, $3::timestamptz, 'b', $4::uuid, 1, 'none', 'stop', 1, now()`,
  ],
  [
    'a run that it has started',
    'followers',
    `INSERT INTO run (id, namespace, scheduled_for, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, cause_run_id)
     SELECT gen_random_uuid(), $1::text, $3::timestamptz, $4::uuid, 1, 1, 'chain', 'planned', 'k', 1, 'skip', 'default', now(), $2::uuid`,
  ],
  [
    'a rerun',
    'followers',
    `INSERT INTO run (id, namespace, scheduled_for, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, rerun_of)
     SELECT gen_random_uuid(), $1::text, $3::timestamptz, $4::uuid, 1, 1, 'rerun', 'planned', 'k', 1, 'skip', 'default', now(), $2::uuid`,
  ],
  [
    'a note of runs that are to follow it',
    'followers',
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event) VALUES ($1::text, $2::uuid, $3::timestamptz, $4::uuid, 'finished')`,
  ],
];

async function aRun(name: string) {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  return { ...run, taskId };
}

it.each(OF_NAMESPACE)('%s is told of its run alone, and to its namespace alone', async (what, told, insert) => {
  const run = await aRun(`of ${what}`.replaceAll(' ', '-'));
  expect(await whatRunHas(one, run.runId)).toEqual(NOTHING);
  await one.pool.query(insert, [one.namespace, run.runId, run.scheduledFor, run.taskId]);
  expect(await whatRunHas(one, run.runId)).toEqual({ ...NOTHING, [told]: true });
  expect(await whatRunHas(one, newRunId(run.scheduledFor))).toEqual(NOTHING);
  expect(await whatRunHas(other, run.runId)).toEqual(NOTHING);
});

it('attempts are told of their run alone, and to the namespace of the run alone', async () => {
  const run = await aRun('attempts');
  const beside = await aRun('beside');
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [beside.runId, run.scheduledFor]);
  const sameInstant = newRunId(run.scheduledFor);
  await one.pool.query('UPDATE run SET id = $2 WHERE id = $1', [beside.runId, sameInstant]);
  await one.pool.query(ATTEMPT, [one.namespace, run.runId, run.scheduledFor, run.taskId]);
  expect(await whatRunHas(one, run.runId)).toEqual({ ...NOTHING, attempts: true });
  expect(await whatRunHas(one, sameInstant)).toEqual(NOTHING);
  expect(await whatRunHas(other, run.runId)).toEqual(NOTHING);
});
