import { randomUUID } from 'node:crypto';
import type { Verdict } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { beginRuns, finishRuns, readAlertFacts, runsForAlert } from '../src/index.ts';
import { beginRequest, begun, finishRequest, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const UNKNOWN: Verdict = { to: 'unknown', reason: 'lost its worker w', lost: true, uncounted: true };

/** A run that became unknown, and what a person says of it. */
async function unknown(name: string) {
  const taskId = await makeTask(one, { name });
  await one.pool.query(
    `WITH p AS (UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1)
     UPDATE task SET schedule = '{"kind":"fixed-delay","delayMs":90000}' WHERE id = $1`,
    [taskId],
  );
  await one.pool.query('UPDATE task_plan SET next_run_at = now() WHERE task_id = $1', [taskId]);
  const [first, second] = await queueRuns(one, [
    { taskId, key: name, ageMs: 2 * MINUTE },
    { taskId, key: name, ageMs: MINUTE },
  ]);
  if (!first || !second) throw new Error('no fixture');
  const [run] = await begun(one, [first]);
  if (!run) throw new Error('not begun');
  await one.pool.query('UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1', [taskId]);
  expect(await finishRuns(one, [finishRequest(run, UNKNOWN)])).toEqual(['applied']);
  const resolve = (verdict: Verdict) =>
    finishRuns(one, [
      {
        ...finishRequest(run, verdict),
        seen: { state: 'unknown', dispatch: run.dispatch, attempt: run.attempt },
        fence: null,
        finishId: randomUUID(),
      },
    ]);
  return { taskId, run, second, resolve };
}

async function nextRunAt(taskId: string): Promise<Date | null | undefined> {
  const { rows } = await one.pool.query<{ next_run_at: Date | null }>(
    'SELECT next_run_at FROM task_plan WHERE task_id = $1',
    [taskId],
  );
  return rows[0]?.next_run_at;
}

it('an unknown run has not ended, has given its slot back, and calls for a person until one has said what became of it', async () => {
  const { run, second, resolve } = await unknown('told');
  const { rows } = await one.pool.query('SELECT state, finished_at, reason, lost FROM run WHERE id = $1', [run.runId]);
  expect(rows).toEqual([{ state: 'unknown', finished_at: null, reason: 'lost its worker w', lost: 1 }]);
  expect(await beginRuns(one, [beginRequest(second)])).toMatchObject([{ kind: 'begun' }]);
  expect(await runsForAlert(one, 'unknown', 0)).toMatchObject([
    { id: run.runId, state: 'unknown', task: { name: 'told' } },
  ]);
  expect(await resolve({ to: 'failed', reason: 'ann looked', lost: false, uncounted: false })).toEqual(['applied']);
  expect(await runsForAlert(one, 'unknown', 0)).toEqual([]);
  expect(await readAlertFacts(one, 10)).toEqual([]);
});

it('a schedule that counts from the end goes on, and is not set again when a person resolves the run', async () => {
  const { taskId, resolve } = await unknown('goes-on');
  expect(await nextRunAt(taskId)).toBeInstanceOf(Date);
  await one.pool.query('UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1', [taskId]);
  await resolve({ to: 'succeeded', reason: null, lost: false, uncounted: false });
  expect(await nextRunAt(taskId)).toBeNull();
});

it('its job, delivered once more, begins nothing', async () => {
  const { run } = await unknown('again');
  const request = { ...beginRequest({ ...run, runId: run.runId }), dispatch: run.dispatch };
  expect(await beginRuns(one, [request, { ...request, beginId: randomUUID(), dispatch: run.dispatch + 1 }])).toEqual([
    { kind: 'stale' },
    { kind: 'stale' },
  ]);
});
