import { randomUUID } from 'node:crypto';
import { newRunId, type TaskInput } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type BeginResult, whatHoldsBack } from '../src/index.ts';
import { refusalCodes, whyNotBegun } from '../src/runs/why-not-begun.ts';
import { beginRequest, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());
beforeEach(async () => {
  for (const table of ['run', 'key_slot', 'fleet_freeze', 'task_pause', 'task'])
    await one.pool.query(`DELETE FROM ${table}`);
});

interface Made extends Partial<TaskInput> {
  name: string;
  /** In minutes, of each run. */
  ages?: readonly number[];
}

/** Queued runs of a task. */
async function queued({ name, ages = [2], ...input }: Made, db = one): Promise<QueuedFixture[]> {
  const taskId = await makeTask(db, { name, ...input });
  return await queueRuns(
    db,
    ages.map((minutes) => ({ taskId, key: input.key ?? name, ageMs: minutes * MINUTE })),
  );
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('no fixture');
  return value;
}

const aRun = async (made: Made, db = one) => must((await queued(made, db))[0]);
const setRun = (run: QueuedFixture, set: string) => one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);

const AT_WORK = `state = 'running', attempt = 1, fence = 1, worker = 'w', started_at = now()`;

/** The run has this slot of its key, by default as one at work. */
async function holds(run: QueuedFixture, slot = 1, set = AT_WORK): Promise<void> {
  await setRun(run, `${set}, slot = ${slot}`);
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since)
     SELECT namespace, key, slot, 1, id, scheduled_for, worker, now() - interval '1 min' FROM run WHERE id = $1`,
    [run.runId],
  );
}

async function why(run: QueuedFixture, slot: number | null = 1): Promise<BeginResult | undefined> {
  const request = { ...beginRequest(run), slot };
  return (await whyNotBegun(one, [request])).get(request.beginId);
}

/** Whatever was in the way is gone. */
const FREE = { kind: 'changed' };

it('nothing holds back a run that is queued, nor one that is not queued yet, but what does is told of either', async () => {
  for (const set of [`state = 'queued', dispatch = 1`, `state = 'planned', dispatch = 0`]) {
    const run = await aRun({ name: `free-${set.length}` });
    await setRun(run, set);
    expect(await whatHoldsBack(one, run)).toBeNull();
    await setRun(run, `cancel_requested_at = now(), cancel_requested_by = 'ann'`);
    expect(await whatHoldsBack(one, run)).toMatchObject({ code: 'cancelled', reason: expect.stringContaining('ann') });
  }
});

it('nothing holds back a run that is at work, nor one that only needs another slot', async () => {
  const [holder, run] = [
    await aRun({ name: 'at-work', key: 'k', limit: 2 }),
    await aRun({ name: 'beside', key: 'k', limit: 2 }),
  ];
  await holds(holder);
  expect(await whatHoldsBack(one, holder)).toBeNull();
  expect(await whatHoldsBack(one, run)).toBeNull();
  expect(await refusalCodes(one, [beginRequest(run)])).toEqual(['slot_taken']);
});

it('a full key holds back who takes a slot of it, and nobody else', async () => {
  const holder = await aRun({ name: 'full', key: 'k' });
  await holds(holder);
  const [run, beside] = [
    await aRun({ name: 'takes', key: 'k' }),
    await aRun({ name: 'allowed', key: 'k', overlap: 'allow' }),
  ];
  expect(await whatHoldsBack(one, run)).toEqual({
    code: 'key_full',
    reason: `the key "k" is held by run ${holder.runId}`,
    advice: expect.any(String),
  });
  expect(await whatHoldsBack(one, beside)).toBeNull();
});

it('codes are told in the order asked, none of what may begin, and stale of what is not there', async () => {
  const [run, cancelled] = [await aRun({ name: 'may-begin' }), await aRun({ name: 'cancelled' })];
  await setRun(cancelled, 'cancel_requested_at = now()');
  const requests = [cancelled, { ...run, runId: newRunId(run.scheduledFor) }, run].map((each) => beginRequest(each));
  expect(await refusalCodes(one, requests)).toEqual(['cancelled', 'stale', null]);
  expect(await refusalCodes(other, requests)).toEqual(['stale', 'stale', 'stale']);
});

it('of runs that are in none of the queues asked for nothing is said', async () => {
  const run = beginRequest(await aRun({ name: 'queues' }));
  expect((await whyNotBegun(one, [run], ['default+shell'])).size).toBe(1);
  expect((await whyNotBegun(one, [run], ['gpu'])).size).toBe(0);
});

it('a task that was deleted is in the way of its own runs alone', async () => {
  await aRun({ name: 'deleted-before' });
  const run = await aRun({ name: 'kept' });
  await aRun({ name: 'deleted-after' });
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name LIKE 'deleted%'`);
  expect(await why(run)).toEqual(FREE);
});

it('a run that another call has begun is not begun by this one', async () => {
  const run = await aRun({ name: 'begun' });
  await setRun(run, `${AT_WORK}, begin_id = '${randomUUID()}'`);
  expect(await why(run)).toEqual({ kind: 'stale' });
});

it('who is in the way of a run is the one before it, the longest holder of the key, or the one on its slot', async () => {
  const [first, second] = (await queued({ name: 'order', overlap: 'wait-all', limit: 2, ages: [9, 8] })).map(must);
  expect(await why(must(second))).toEqual({ kind: 'busy', holder: first?.runId, anySlot: true });
  const run = await aRun({ name: 'slots', key: 'k', limit: 2 });
  const holder = await aRun({ name: 'holder', key: 'k', limit: 2 });
  await holds(holder, 2);
  expect(await why(run, 2)).toEqual({ kind: 'busy', holder: holder.runId, anySlot: false });
  expect(await why(run, 1)).toEqual(FREE);
  await setRun(holder, 'key_limit = 1');
  expect(await why(run, 1)).toEqual({ kind: 'busy', holder: holder.runId, anySlot: true });
  expect(await why(run, null)).toEqual(FREE);
  await setRun(holder, 'key_limit = 2');
  await setRun(run, 'key_limit = 1');
  expect(await why(run, 1)).toEqual({ kind: 'busy', holder: holder.runId, anySlot: true });
});

it('slots of other keys and namespaces, its own, and one whose reservation is over, are in nobody’s way', async () => {
  const run = await aRun({ name: 'mine', key: 'k', limit: 3 });
  await holds(await aRun({ name: 'of-another-key' }));
  await holds(await aRun({ name: 'mine', key: 'k' }, other));
  expect(await why(run)).toEqual(FREE);
  await holds(await aRun({ name: 'lapsed', key: 'k', limit: 3 }), 2, `state = 'queued'`);
  expect(await why(run, 2)).toEqual(FREE);
  await holds(run, 1, `state = 'queued', attempt = 1`);
  expect(await why(run, 1)).toEqual(FREE);
});

it('a run that a newer one replaces ends, and names it; one that ends for another reason names none', async () => {
  const [run, newer] = (await queued({ name: 'replaced', overlap: 'replace', ages: [9, 8] })).map(must);
  expect(await why(must(run))).toMatchObject({
    kind: 'ended',
    state: 'skipped',
    reason: `replaced by run ${newer?.runId} before it started`,
    seen: { state: 'queued', dispatch: 1, attempt: 0 },
    blockedBy: newer?.runId,
  });
  await one.pool.query('UPDATE task SET deleted_at = now()');
  const ended = await why(must(run));
  expect(ended).toMatchObject({ kind: 'ended', state: 'cancelled' });
  expect(ended).not.toHaveProperty('blockedBy');
});

it('the note of a freeze is that of the one that covers the run, in its namespace', async () => {
  const run = await aRun({ name: 'frozen' });
  for (const [namespace, from, until, note] of [
    ['other', '1 h', 'NULL', 'of another namespace'],
    [one.namespace, '9 h', `now() - interval '8 h'`, 'over'],
    [one.namespace, '1 h', 'NULL', 'moving'],
  ])
    await one.pool.query(
      `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by) VALUES ($1, now() - $2::interval, ${until}, $3, 'ann')`,
      [namespace, from, note],
    );
  expect(await why(run)).toMatchObject({ kind: 'ended', state: 'skipped', reason: 'the fleet was frozen: moving' });
});

it('the note of a pause is that of the one that covers the run, of its task', async () => {
  await aRun({ name: 'beside' });
  const run = await aRun({ name: 'paused' });
  for (const [name, from, until, note] of [
    ['beside', '1 h', 'NULL', 'of another task'],
    ['paused', '9 h', `now() - interval '8 h'`, 'over'],
    ['paused', '1 h', 'NULL', 'deploy'],
  ])
    await one.pool.query(
      `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by)
       SELECT id, now() - $2::interval, ${until}, $3, 'ann' FROM task WHERE name = $1`,
      [name, from, note],
    );
  expect(await why(run)).toMatchObject({ kind: 'ended', state: 'skipped', reason: 'paused: deploy' });
});

it('a run that missed its start is told with its deadline, and how late it is', async () => {
  const run = await aRun({ name: 'late', ages: [30] });
  await setRun(run, `start_by = due_at + interval '10 min'`);
  expect(await why(run)).toMatchObject({ kind: 'ended', state: 'missed', reason: expect.stringContaining('10 min') });
});
