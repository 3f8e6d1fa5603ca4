import { randomUUID } from 'node:crypto';
import type { TaskInput } from '@escapement/core';
import { by, lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  type BegunRun,
  beginRuns,
  type Database,
  type Finished,
  findDeadSlots,
  findLostWakeUps,
  findOverwaited,
  finishAndWake,
  finishOverwaited,
  finishRuns,
  freeDeadSlots,
  LEDGER_REPAIRS,
  requestCancel,
  waitRun,
  waitRuns,
  wakeKeys,
  wakeWaiting,
} from '../src/index.ts';
import {
  beginRequest,
  begun,
  deleteNow,
  finishRequest,
  MINUTE,
  makeTask,
  type QueuedFixture,
  queueRuns,
  stateOf,
  twoProcesses,
} from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
afterAll(() => processes.close());

/** Of this key alone: a reservation of an earlier test may be over by now. */
const freeDead = async (of: string) =>
  await freeDeadSlots(
    one,
    (await findDeadSlots(one, 100)).filter(({ key }) => key === of),
  );
const wakeLost = async (db: Database) => await wakeWaiting(db, await findLostWakeUps(db, 100));
const endOverwaited = async () => await finishOverwaited(one, await findOverwaited(one, 10));

/** What a report would say. */
async function drift() {
  const findings = await Promise.all(LEDGER_REPAIRS.map((repair) => repair.find(one, { limit: 10, deadMs: MINUTE })));
  return findings.flatMap((finding) => finding.drift);
}

type Overlap = TaskInput['overlap'];

/** Due runs of a task, the oldest first. */
async function queued(name: string, overlap: Overlap, count: number, limit = 1): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name, overlap, limit });
  const ages = Array.from({ length: count }, (_, index) => (count - index) * 1000);
  return await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
}

/** The first of them at work, the others due. */
async function holding(name: string, overlap: Overlap, others: number) {
  const [first, ...rest] = await queued(name, overlap, others + 1);
  const ids = rest.map(({ runId }) => runId);
  await setDue(`now() + interval '1 h'`, ids);
  const [holder] = await begun(one, [must(first)]);
  await setDue('scheduled_for', ids);
  return { holder: must(holder), rest };
}

async function setDue(due: string, ids: readonly string[]): Promise<void> {
  await one.pool.query(`UPDATE run SET due_at = ${due} WHERE id = ANY ($1)`, [ids]);
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('no fixture');
  return value;
}

function wait(db: Database, run: QueuedFixture, bounds: { maxWaiting?: number; maxWaitMs?: number } = {}) {
  return waitRun(db, { ...run, ...bounds, seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 } });
}

async function finish(run: BegunRun): Promise<Finished> {
  const [finished] = await finishAndWake(one, [finishRequest(run)]);
  return must(finished);
}

/** A woken run as its job would begin it. */
async function beginWoken(run: { id: string; scheduledFor: Date; dispatch: number; key: string }, slot = 1) {
  const request = { ...beginRequest({ ...run, runId: run.id }), slot };
  return must((await beginRuns(two, [request]))[0]);
}

it('wakes the next in the wait queue with the write that frees the slot, in the order of due times', async () => {
  const { holder, rest } = await holding('order', 'wait-all', 3);
  for (const run of rest.toReversed()) expect(await wait(one, run)).toMatchObject({ kind: 'waiting' });
  let current = holder;
  for (const expected of rest) {
    const { result, woken } = await finish(current);
    expect(result).toBe('applied');
    expect(woken).toMatchObject([{ id: expected.runId, dispatch: 2, key: 'order', slot: 1, queue: 'default+shell' }]);
    const begin = await beginWoken(must(woken[0]));
    if (begin.kind !== 'begun') throw new Error(begin.kind);
    current = begin.run;
  }
  expect((await finish(current)).woken).toEqual([]);
});

it('says that there is room when the holder has ended between the refusal and the wait', async () => {
  const { holder, rest } = await holding('gone', 'wait-all', 1);
  await finish(holder);
  expect(await wait(one, must(rest[0]))).toEqual({ kind: 'free' });
});

it('says of a run that is not there that it is stale, and in its place among others', async () => {
  const { rest } = await holding('nowhere', 'wait-all', 1);
  const run = must(rest[0]);
  const seen = { state: 'queued', dispatch: run.dispatch, attempt: 0 } as const;
  const gone = { ...run, runId: randomUUID(), seen };
  expect(await waitRuns(one, [gone, { ...run, seen }, gone])).toMatchObject([
    { kind: 'stale' },
    { kind: 'waiting' },
    { kind: 'stale' },
  ]);
});

it('leaves nobody waiting for a holder that ends at the same moment', async () => {
  for (let round = 0; round < 20; round++) {
    const { holder, rest } = await holding(`moment-${round}`, 'wait-all', 1);
    const [answer, finished] = await Promise.all([wait(two, must(rest[0])), finish(holder)]);
    expect(finished.woken).toHaveLength(answer.kind === 'waiting' ? 1 : 0);
  }
});

it('leaves nobody waiting for a run that begins on a key without a slot and ends, all before the wait is committed', async () => {
  const [first, second] = (await queued('no-slot', 'wait-all', 2)).map(must);
  const seen = [second?.runId, second?.scheduledFor, second?.dispatch];
  const waiting = await lockRows(
    one.url,
    `SELECT result FROM wait_run($1, $2, 'queued', $3, 0, $3, NULL, NULL, 'nobody') WHERE result = 'waiting'`,
    seen,
  );
  const ended = begun(two, [must(first)]).then(([run]) => finish(must(run)));
  await Promise.race([waiting.awaited(), ended]);
  await waiting.commit();
  expect((await ended).woken).toMatchObject([{ id: second?.runId, slot: 1 }]);
});

it('skips a run only if its key is held at that very moment', async () => {
  for (let round = 0; round < 20; round++) {
    const { holder, rest } = await holding(`skip-${round}`, 'skip', 1);
    const run = must(rest[0]);
    const [answer] = await Promise.all([wait(two, run, { maxWaiting: 0 }), finish(holder)]);
    expect(await stateOf(one, run.runId)).toBe(answer.kind === 'free' ? 'queued' : 'skipped');
    if (answer.kind === 'skipped') expect(answer.reason).toBe(`the key "${run.key}" was held by run ${holder.runId}`);
  }
});

it('keeps one of two that arrive at once under wait-one', async () => {
  const { holder, rest } = await holding('one', 'wait-one', 2);
  const [a, b] = rest;
  const answers = await Promise.all([wait(one, must(a), { maxWaiting: 1 }), wait(two, must(b), { maxWaiting: 1 })]);
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['skipped', 'waiting']);
  const waiting = answers[0]?.kind === 'waiting' ? a : b;
  expect(answers.find(({ kind }) => kind === 'skipped')).toMatchObject({
    holder: holder.runId,
    reason: `the key "one" was held by run ${holder.runId}, and run ${waiting?.runId} waited for it already`,
  });
});

it('keeps a slot for the woken run for 5 s, then it is for anyone', async () => {
  const { holder, rest } = await holding('reserved', 'wait-one', 2);
  const [next, other] = [must(rest[0]), must(rest[1])];
  await wait(one, next);
  const { woken } = await finish(holder);
  expect((await beginRuns(one, [beginRequest(other)]))[0]).toMatchObject({ kind: 'busy', holder: next.runId });
  expect(await freeDead('reserved')).toBe(0);
  await one.pool.query(`UPDATE key_slot SET since = since - interval '6 s' WHERE key = 'reserved'`);
  const [taken] = await beginRuns(one, [beginRequest(other)]);
  expect(taken?.kind).toBe('begun');
  expect(await beginWoken(must(woken[0]))).toMatchObject({ kind: 'busy', holder: other.runId });
});

it('keeps the place of a woken run that lost its reservation', async () => {
  const { holder, rest } = await holding('place', 'wait-one', 2);
  const [next, other] = [must(rest[0]), must(rest[1])];
  await wait(one, next, { maxWaiting: 1, maxWaitMs: MINUTE });
  await finish(holder);
  await one.pool.query(`UPDATE key_slot SET since = since - interval '6 s' WHERE key = 'place'`);
  expect(await freeDead('place')).toBe(1);
  const [thief] = await begun(one, [other]);
  const before = await lineOf(next.runId);
  const again = { ...next, seen: { state: 'queued', dispatch: 2, attempt: 0 }, dispatch: 2, maxWaiting: 1 };
  expect(await waitRun(one, again)).toMatchObject({ kind: 'waiting', holder: other.runId });
  expect(await lineOf(next.runId)).toEqual(before);
  expect((await finish(must(thief))).woken).toMatchObject([{ id: next.runId, dispatch: 3 }]);
});

async function lineOf(runId: string) {
  const { rows } = await one.pool.query('SELECT waiting_since, wait_until FROM run WHERE id = $1', [runId]);
  return rows[0];
}

it('does not begin a run under wait-all while an earlier one has not begun (I13)', async () => {
  const [early, late] = await queued('earlier', 'wait-all', 2);
  const [answer] = await beginRuns(one, [beginRequest(must(late))]);
  expect(answer).toEqual({ kind: 'busy', holder: early?.runId, anySlot: true });
  expect(await wait(one, must(late))).toEqual({ kind: 'waiting', holder: early?.runId });
  const [first] = await begun(one, [must(early)]);
  expect((await finish(must(first))).woken).toMatchObject([{ id: late?.runId }]);
});

it('wakes who waits for an earlier run that ends without having begun', async () => {
  const [early, late] = await queued('never-begun', 'wait-all', 2);
  await wait(one, must(late));
  const end = { to: 'superseded', reason: 'edited', lost: false, uncounted: false } as const;
  const [finished] = await finishAndWake(one, [
    {
      ...must(early),
      seen: { state: 'queued', dispatch: 1, attempt: 0 },
      fence: null,
      finishId: randomUUID(),
      verdict: end,
    },
  ]);
  expect(finished?.woken).toMatchObject([{ id: late?.runId, slot: 1 }]);
});

it('finds a lost wake-up, once', async () => {
  const { holder, rest } = await holding('lost', 'wait-one', 1);
  await wait(one, must(rest[0]));
  await one.pool.query(`UPDATE key_slot SET awaited = false WHERE key = 'lost'`);
  expect((await finish(holder)).woken).toEqual([]);
  expect(await drift()).toContainEqual({ kind: 'lost_wake_up', subject: rest[0]?.runId });
  const woken = await Promise.all([wakeLost(one), wakeLost(two)]);
  expect(woken.flat().filter(({ key }) => key === 'lost')).toMatchObject([{ id: rest[0]?.runId, slot: 1 }]);
  expect(await wakeKeys(one, ['lost'])).toEqual([]);
});

it('who finds the slots locked by another one that wakes leaves it the run that is next', async () => {
  const { holder, rest } = await holding('two-wake', 'wait-one', 1);
  await wait(one, must(rest[0]));
  await one.pool.query(`UPDATE key_slot SET awaited = false WHERE key = 'two-wake'`);
  await finish(holder);
  const [waker, other] = [await one.pool.connect(), await two.pool.connect()];
  const wake = `SELECT run_id FROM wake_waiting('${one.namespace}', ARRAY['two-wake'])`;
  try {
    await waker.query(`BEGIN; SELECT FROM key_slot WHERE key = 'two-wake' FOR UPDATE`);
    await other.query('BEGIN');
    expect((await other.query(wake)).rows).toEqual([]);
    expect((await waker.query(wake)).rows).toEqual([{ run_id: rest[0]?.runId }]);
    await Promise.all([waker.query('COMMIT'), other.query('COMMIT')]);
  } finally {
    waker.release();
    other.release();
  }
});

it('fills each free slot of a key', async () => {
  const [a, b, c, d] = await queued('slots', 'wait-one', 4, 2);
  const first = await begun(one, [must(a)]);
  const [second] = await beginRuns(one, [{ ...beginRequest(must(b)), slot: 2 }]);
  if (second?.kind !== 'begun') throw new Error('not begun');
  for (const run of [c, d]) await wait(one, must(run));
  const finished = await finishAndWake(one, [finishRequest(must(first[0])), finishRequest(second.run)]);
  expect(finished.map(({ woken }) => woken.map(({ id, slot }) => ({ id, slot })))).toEqual([
    [{ id: c?.runId, slot: 1 }],
    [{ id: d?.runId, slot: 2 }],
  ]);
});

it('ends who has waited long enough, naming the run in its way', async () => {
  const { holder, rest } = await holding('patience', 'wait-one', 1);
  await wait(one, must(rest[0]), { maxWaitMs: MINUTE });
  expect(await endOverwaited()).toBe(0);
  await one.pool.query(`UPDATE run SET wait_until = now() WHERE key = 'patience' AND state = 'waiting'`);
  expect(await drift()).toContainEqual({ kind: 'overwaited', subject: rest[0]?.runId });
  expect(await endOverwaited()).toBe(1);
  const { rows } = await one.pool.query('SELECT state, blocked_by, reason FROM run WHERE id = $1', [rest[0]?.runId]);
  expect(rows).toEqual([
    { state: 'skipped', blocked_by: holder.runId, reason: expect.stringContaining(`held by run ${holder.runId}`) },
  ]);
  expect((await finish(holder)).woken).toEqual([]);
});

it('wakes nobody who has waited long enough, though he is still in the wait queue, but the next one', async () => {
  const { holder, rest } = await holding('too-late', 'wait-one', 2);
  const [late, patient] = [must(rest[0]), must(rest[1])];
  await wait(one, late, { maxWaitMs: MINUTE });
  await wait(one, patient, { maxWaiting: 2 });
  await one.pool.query('UPDATE run SET wait_until = now() WHERE id = $1', [late.runId]);
  const { woken } = await finish(holder);
  expect(woken).toMatchObject([{ id: patient.runId }]);
  const begin = await beginWoken(must(woken[0]));
  if (begin.kind !== 'begun') throw new Error(begin.kind);
  expect((await finish(begin.run)).woken).toEqual([]);
  expect(await wakeLost(one)).toEqual([]);
  expect(await stateOf(one, late.runId)).toBe('waiting');
});

it('cancels a waiting run at once, and the next one takes its place', async () => {
  const { holder, rest } = await holding('cancelled', 'wait-all', 2);
  for (const run of rest) await wait(one, run);
  expect(await requestCancel(one, must(rest[0]).runId, by('ann'))).toEqual({ kind: 'cancelled' });
  expect((await finish(holder)).woken).toMatchObject([{ id: rest[1]?.runId }]);
});

it('keeps the slot of a run between its attempts, which nobody in the wait queue overtakes', async () => {
  const { holder, rest } = await holding('retried', 'wait-all', 1);
  await wait(one, must(rest[0]));
  const retry = { to: 'retrying', reason: 'again', lost: false, uncounted: false, retryAt: holder.dueAt } as const;
  const [finished] = await finishAndWake(one, [finishRequest(holder, { ...retry, attemptOutcome: 'failed' })]);
  expect(finished).toEqual({ result: 'applied', woken: [] });
  expect(await wakeLost(one)).toEqual([]);
  const [again] = await beginRuns(one, [beginRequest({ ...must(rest[0]), ...holder, dispatch: 2 })]);
  if (again?.kind !== 'begun') throw new Error(again?.kind);
  expect((await finish(again.run)).woken).toMatchObject([{ id: rest[0]?.runId }]);
});

it('asks the running one to stop under replace, once, and skips who waited to replace it', async () => {
  const { holder, rest } = await holding('replace', 'replace', 2);
  const [older, newest] = [must(rest[0]), must(rest[1])];
  await setDue(`now() + interval '1 h'`, [newest.runId]);
  expect(await wait(one, older)).toEqual({ kind: 'waiting', holder: holder.runId });
  const cancel = `SELECT cancel_requested_at AS at, cancel_reason AS reason FROM run WHERE id = $1`;
  const { rows: asked } = await one.pool.query(cancel, [holder.runId]);
  expect(asked).toEqual([{ at: expect.any(Date), reason: `replaced by run ${older.runId}` }]);
  await setDue('scheduled_for', [newest.runId]);
  expect(await wait(one, newest)).toEqual({ kind: 'waiting', holder: holder.runId });
  expect((await one.pool.query(cancel, [holder.runId])).rows).toEqual(asked);
  const { rows } = await one.pool.query('SELECT state, blocked_by, reason FROM run WHERE id = $1', [older.runId]);
  expect(rows).toEqual([
    { state: 'skipped', blocked_by: newest.runId, reason: `replaced by run ${newest.runId} before it started` },
  ]);
  expect((await finish(holder)).woken).toMatchObject([{ id: newest.runId }]);
});

it('starts the newest of several that are due under replace, and never the older ones', async () => {
  const [older, newest] = await queued('newest', 'replace', 2);
  const [refused] = await beginRuns(one, [beginRequest(must(older))]);
  expect(refused).toMatchObject({ kind: 'ended', state: 'skipped', blockedBy: newest?.runId });
  expect(await wait(one, must(older))).toMatchObject({ kind: 'skipped', holder: newest?.runId });
  expect((await beginRuns(one, [beginRequest(must(newest))]))[0]?.kind).toBe('begun');
});

it('replaces a run between its attempts at once', async () => {
  const { holder, rest } = await holding('replace-retrying', 'replace', 1);
  const retry = { to: 'retrying', reason: 'again', lost: false, uncounted: false, retryAt: holder.dueAt } as const;
  await finishRuns(one, [finishRequest(holder, { ...retry, attemptOutcome: 'failed' })]);
  expect(await wait(one, must(rest[0]))).toEqual({ kind: 'free' });
  expect(await stateOf(one, holder.runId)).toBe('cancelled');
});

it('says how a run ends that must not run any more, before anybody asks whether its key is busy', async () => {
  const { rest } = await holding('over', 'skip', 4);
  const [edited, paused, tooLate, deleted] = rest.map(must);
  const change = async (run: QueuedFixture | undefined, set: string) =>
    await one.pool.query(`UPDATE run r SET ${set} FROM task t WHERE t.id = r.task_id AND r.id = $1`, [must(run).runId]);
  await change(edited, `plan_epoch = t.plan_epoch - 1, task_version = 1`);
  await one.pool.query(`UPDATE task SET effective_at = $1 WHERE name = 'over'`, [must(edited).scheduledFor]);
  expect(await wait(one, must(edited), { maxWaiting: 0 })).toMatchObject({
    kind: 'refused',
    end: { state: 'superseded', reason: 'the task was edited' },
  });
  await change(tooLate, `start_by = now() - interval '1 s'`);
  expect(await wait(one, must(tooLate), { maxWaiting: 0 })).toMatchObject({
    kind: 'refused',
    end: { state: 'missed' },
  });
  await one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, note, created_by) SELECT id, $1, 'audit', 'a' FROM task WHERE name = 'over'`,
    [must(paused).scheduledFor],
  );
  expect(await wait(one, must(paused), { maxWaiting: 0 })).toMatchObject({
    kind: 'refused',
    end: { state: 'skipped', reason: 'paused: audit' },
  });
  await deleteNow(one, 'over', by('test'));
  expect(await wait(one, must(deleted), { maxWaiting: 0 })).toMatchObject({
    kind: 'refused',
    end: { state: 'cancelled', reason: 'the task was deleted' },
  });
});

it('lets one occurrence wait for a run that is caught up, and skips the others', async () => {
  const { holder, rest } = await holding('caught-up', 'skip', 2);
  await one.pool.query(`UPDATE run SET origin = 'catch_up' WHERE id = $1`, [holder.runId]);
  expect(await wait(one, must(rest[0]), { maxWaiting: 0 })).toMatchObject({ kind: 'waiting', holder: holder.runId });
  expect(await wait(one, must(rest[1]), { maxWaiting: 0 })).toMatchObject({ kind: 'skipped' });
  expect((await finish(holder)).woken).toMatchObject([{ id: must(rest[0]).runId }]);
});

it('lets a run that is caught up wait for one that is in time', async () => {
  const { holder, rest } = await holding('in-time', 'skip', 1);
  await one.pool.query(`UPDATE run SET origin = 'catch_up' WHERE id = $1`, [must(rest[0]).runId]);
  expect(await wait(one, must(rest[0]), { maxWaiting: 0 })).toMatchObject({ kind: 'waiting', holder: holder.runId });
});
