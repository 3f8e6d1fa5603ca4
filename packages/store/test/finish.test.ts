import { randomUUID } from 'node:crypto';
import type { Verdict } from '@escapement/core';
import { lockRows } from '@escapement/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import {
  beginRuns,
  createGroupCommit,
  dispatchableRuns,
  type FinishRequest,
  findDeadSlots,
  findRun,
  finishAndWake,
  finishRuns,
  freeDeadSlots,
  markQueued,
  readAlertFacts,
} from '../src/index.ts';
import {
  ago,
  beginRequest,
  begun,
  finishRequest,
  MINUTE,
  makeTask,
  queueRuns,
  stateOf,
  twoProcesses,
} from './ledger.ts';

const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false, exitCode: 3 };

const processes = await twoProcesses();
afterAll(() => processes.close());

describe('finish', () => {
  async function running(name: string, ages: readonly number[] = [MINUTE]) {
    const taskId = await makeTask(processes.one, { name });
    const queued = await queueRuns(
      processes.one,
      ages.map((ageMs) => ({ taskId, key: name, ageMs })),
    );
    const [first, ...rest] = queued;
    if (!first) throw new Error('no fixture');
    const [run] = await begun(processes.one, [first]);
    if (!run) throw new Error('not begun');
    return { taskId, run, rest };
  }

  it('ends a run once, whoever else tries (I4)', async () => {
    const { run } = await running('once');
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        finishRuns(index % 2 === 0 ? processes.one : processes.two, [finishRequest(run)]),
      ),
    );
    expect(results.flat().filter((result) => result === 'applied')).toHaveLength(1);
    expect(results.flat().filter((result) => result === 'stale')).toHaveLength(9);
  });

  it('answers a repetition after a lost reply as carried out (I8)', async () => {
    const { run } = await running('repeated');
    const end = finishRequest(run);
    expect(await finishRuns(processes.one, [end])).toEqual(['applied']);
    expect(await finishRuns(processes.two, [end])).toEqual(['repeated']);
  });

  it('refuses a result whose fence is stale, and leaves the successor alone (I3)', async () => {
    const { run, rest } = await running('stale-fence', [2 * MINUTE, MINUTE]);
    const [next] = rest;
    if (!next) throw new Error('no fixture');
    const lost: Verdict = { to: 'quarantined', reason: 'lost', lost: true, uncounted: true };
    expect(await finishRuns(processes.two, [{ ...finishRequest(run, lost), fence: null }])).toEqual(['applied']);
    const [successor] = await begun(processes.two, [next]);
    expect(await finishRuns(processes.one, [finishRequest(run)])).toEqual(['stale']);
    expect(await stateOf(processes.one, run.runId)).toBe('quarantined');
    expect(await stateOf(processes.one, successor?.runId ?? '')).toBe('running');
  });

  it('refuses a result when the slot has a newer fence, though the run still looks the same', async () => {
    const { run } = await running('raised-fence');
    await processes.one.pool.query(`UPDATE key_slot SET fence = fence + 1 WHERE key = 'raised-fence'`);
    expect(await finishRuns(processes.one, [finishRequest(run)])).toEqual(['stale']);
    expect(await stateOf(processes.one, run.runId)).toBe('running');
  });

  it('keeps the slot for a run that is tried again, and its finished attempt', async () => {
    const { run, rest } = await running('retry', [2 * MINUTE, MINUTE]);
    const again: Verdict = {
      to: 'retrying',
      reason: 'exit code 3',
      retryAt: ago(0),
      attemptOutcome: 'failed',
      lost: false,
      uncounted: false,
    };
    expect(await finishRuns(processes.one, [finishRequest(run, again)])).toEqual(['applied']);
    const [other] = rest;
    if (!other) throw new Error('no fixture');
    expect((await beginRuns(processes.two, [beginRequest(other)]))[0]).toEqual({
      kind: 'busy',
      holder: run.runId,
      anySlot: true,
    });
    const [retry] = (await dispatchableRuns(processes.one, { horizonMs: 0, repeatGraceMs: 0, limit: 10 })).filter(
      ({ id }) => id === run.runId,
    );
    if (!retry) throw new Error('not dispatchable');
    await markQueued(processes.one, [{ ...retry, dispatch: retry.dispatch + 1 }]);
    const [second] = await begun(processes.one, [
      { runId: retry.id, scheduledFor: retry.scheduledFor, dispatch: retry.dispatch + 1, key: 'retry' },
    ]);
    expect(second).toMatchObject({ attempt: 2 });
    expect(await findRun(processes.one, run.runId), 'why the first one ended').toMatchObject({ reason: null });
    const { rows } = await processes.one.pool.query('SELECT attempt, outcome, reason FROM attempt WHERE run_id = $1', [
      run.runId,
    ]);
    expect(rows).toEqual([{ attempt: 1, outcome: 'failed', reason: 'exit code 3' }]);
  });

  it('leaves a fact for the rules of alerts in the same write', async () => {
    const { run } = await running('noticed');
    await finishRuns(processes.one, [finishRequest(run, FAILED)]);
    const facts = await readAlertFacts(processes.one, 100);
    expect(facts.flatMap((fact) => fact.run ?? []).filter(({ id }) => id === run.runId)).toMatchObject([
      { task: { name: 'noticed' }, state: 'failed', reason: 'exit code 3' },
    ]);
  });

  it('never changes a row that has ended', async () => {
    const { run } = await running('final');
    await finishRuns(processes.one, [finishRequest(run)]);
    const change = processes.one.pool.query(`UPDATE run SET reason = 'x' WHERE id = $1`, [run.runId]);
    await expect(change).rejects.toThrow('ended as succeeded and cannot change');
  });

  it('keeps what a run says and gives as it is, but for half a character', async () => {
    const { run } = await running('as-it-is');
    const verdict = {
      ...FAILED,
      reason: 'cut \ud83d',
      error: { name: 'E', message: '"{\\}"' },
      output: null,
      exitCode: 3,
    };
    expect(await finishRuns(processes.one, [finishRequest(run, verdict)])).toEqual(['applied']);
    const { rows } = await processes.one.pool.query(
      'SELECT reason, error, output::text, exit_code, lost, uncounted FROM run WHERE id = $1',
      [run.runId],
    );
    expect(rows).toEqual([
      { reason: 'cut \ufffd', error: verdict.error, output: 'null', exit_code: 3, lost: 0, uncounted: 0 },
    ]);
  });

  it('finishes neighbours of a poisoned member, and that one without what Postgres refuses', async () => {
    const fixtures = [];
    for (const name of ['poison-1', 'poison-2', 'poison-3']) fixtures.push((await running(name)).run);
    const commit = createGroupCommit({
      run: (batch: readonly FinishRequest[]) => finishAndWake(processes.one, batch),
      placeOf: (each) => each.runId,
    });
    const finished = await Promise.all(
      fixtures.map((run, index) =>
        commit.submit(finishRequest(run, index === 1 ? { ...FAILED, reason: 'a\0b' } : FAILED)),
      ),
    );
    expect(finished).toMatchObject([
      { result: 'applied' },
      { result: 'applied', instead: { to: 'failed', reason: expect.stringMatching(/its end as failed .* Unicode/) } },
      { result: 'applied' },
    ]);
    for (const { runId } of fixtures) expect(await stateOf(processes.one, runId)).toBe('failed');
  });

  const SUCCEEDED = { to: 'succeeded', reason: null, lost: false, uncounted: false } as const;
  const UNSTORABLE: readonly [what: string, verdict: Verdict, state: string][] = [
    ['output', { ...SUCCEEDED, output: { a: '\0' } }, 'failed'],
    ['half a character in an output', { ...SUCCEEDED, output: '\ud800' }, 'failed'],
    ['output without a place', { ...SUCCEEDED, output: '\0', effects: {} }, 'failed'],
    ['next run before all time', { ...SUCCEEDED, effects: { next: new Date(-8.64e15) } }, 'failed'],
    ['state', { ...SUCCEEDED, effects: { state: { value: '\0', version: 0, shape: 1 } } }, 'failed'],
    ['exit code', { ...FAILED, exitCode: 2 ** 40 }, 'failed'],
    ['error', { ...FAILED, error: { name: '\0', message: '' } }, 'failed'],
    ['reason of a skip', { ...SUCCEEDED, to: 'skipped', reason: 'a\0b' }, 'skipped'],
    ['time of the next attempt', { ...FAILED, to: 'retrying', retryAt: new Date(8.64e15) }, 'failed'],
  ];

  it.each(UNSTORABLE)('ends a run once whose %s Postgres refuses, and says so', async (what, verdict, state) => {
    const { run } = await running(`unstorable:${what.replaceAll(' ', '-')}`);
    const [first] = await finishAndWake(processes.one, [{ ...finishRequest(run, verdict), countsFromEnd: false }]);
    expect(first).toMatchObject({ result: 'applied', instead: { to: state } });
    const { rows } = await processes.one.pool.query('SELECT state, reason, lost FROM run WHERE id = $1', [run.runId]);
    expect(rows).toEqual([
      { state, reason: expect.stringContaining(`its end as ${verdict.to} could not be stored: `), lost: 0 },
    ]);
  });

  it('finishes the same runs from two connections in opposite order without a deadlock', async () => {
    const fixtures = [];
    for (let index = 0; index < 40; index++) fixtures.push((await running(`opposite-${index}`)).run);
    const results = await Promise.all([
      finishRuns(
        processes.one,
        fixtures.map((run) => finishRequest(run)),
      ),
      finishRuns(processes.two, fixtures.map((run) => finishRequest(run)).reverse()),
    ]);
    expect(results.flat().filter((result) => result === 'applied')).toHaveLength(40);
  });

  it('sets the next run of a schedule that counts from the end', async () => {
    const { taskId, run } = await running('from-the-end');
    await processes.one.pool.query(
      `WITH p AS (UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1)
     UPDATE task SET schedule = '{"kind":"fixed-delay","delayMs":90000}' WHERE id = $1`,
      [taskId],
    );
    await finishRuns(processes.one, [finishRequest(run)]);
    const { rows } = await processes.one.pool.query<{ seconds: number }>(
      'SELECT round(extract(epoch FROM next_run_at - now()))::integer AS seconds FROM task_plan WHERE task_id = $1',
      [taskId],
    );
    expect(rows[0]?.seconds).toBeGreaterThan(80);
  });

  const REST = { kind: 'fixed-delay', delayMs: 90_000 };
  const EDITS: readonly [string, change: string, isDue: boolean][] = [
    ['is deleted', 'deleted_at = now(), plan_epoch = plan_epoch + 1', false],
    [
      'gets another schedule',
      `schedule = '{"kind":"manual"}', version = version + 1, plan_epoch = plan_epoch + 1`,
      false,
    ],
    ['is planned anew, and stays what it is', 'effective_at = effective_at', true],
  ];
  it.each(EDITS)('looks again at a task that %s while the end of its run waits for it', async (what, change, isDue) => {
    const { taskId, run } = await running(`edited-meanwhile:${what.replaceAll(/\W+/g, '-')}`);
    await processes.one.pool.query(
      `WITH p AS (UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1) UPDATE task SET schedule = $2 WHERE id = $1`,
      [taskId, REST],
    );
    const edit = await lockRows(
      processes.one.url,
      `WITH p AS (UPDATE task_plan SET plan_seq = plan_seq + 1 WHERE task_id = $1) UPDATE task SET ${change} WHERE id = $1`,
      [taskId],
    );
    const finished = finishRuns(processes.one, [finishRequest(run)]);
    await edit.awaited();
    await edit.commit();
    expect(await finished).toEqual(['applied']);
    const { rows } = await processes.one.pool.query<{ due: boolean }>(
      'SELECT next_run_at IS NOT NULL AS due FROM task_plan WHERE task_id = $1',
      [taskId],
    );
    expect(rows[0]?.due).toBe(isDue);
  });

  it('empties slots of runs that are over', async () => {
    const { run } = await running('dead-slot');
    await finishRuns(processes.one, [finishRequest(run)]);
    await processes.one.pool.query(`UPDATE key_slot SET run_id = $1, run_scheduled_for = $2 WHERE key = 'dead-slot'`, [
      run.runId,
      run.scheduledFor,
    ]);
    expect(await freeDeadSlots(processes.one, await findDeadSlots(processes.one, 1000))).toBe(1);
    expect(await freeDeadSlots(processes.one, await findDeadSlots(processes.one, 1000))).toBe(0);
  });
});

describe('a batch that fails', () => {
  it('fails for the member at fault alone', async () => {
    const commit = createGroupCommit<number, string>({
      run: async (batch) => {
        if (batch.includes(5)) throw Object.assign(new Error('five'), { code: '55P03' });
        return batch.map(String);
      },
      placeOf: () => undefined,
    });
    const members = Array.from({ length: 9 }, (_, index) => index);
    const results = await Promise.allSettled(members.map((each) => commit.submit(each)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected'))).toEqual(
      members.map((each) => (each === 5 ? 'rejected' : String(each))),
    );
  });

  it('fails as a whole where the server is gone', async () => {
    const commit = createGroupCommit<string, string>({
      run: async () => {
        throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
      },
      placeOf: () => undefined,
    });
    const results = await Promise.allSettled([commit.submit(randomUUID()), commit.submit(randomUUID())]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  });
});
