import { newRunId } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import {
  auditEntries,
  type BegunRun,
  beginRuns,
  cancelRequests,
  type Database,
  findRun,
  finishRuns,
  keyRuns,
  listKeySlots,
  releaseKeySlot,
  rerunRun,
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

const processes = await twoProcesses();
const db: Database = processes.one;
afterAll(() => processes.close());

const ANN = by('ann', 'hangs since noon');

/** A key with one run on it, and others of the same key that are queued. */
async function held(key: string, others = 1) {
  const taskId = await makeTask(db, { name: key, overlap: { policy: 'wait-all' } });
  const ages = Array.from({ length: others + 1 }, (_, index) => (others + 1 - index) * MINUTE);
  const [first, ...rest] = await queueRuns(
    db,
    ages.map((ageMs) => ({ taskId, key, ageMs })),
  );
  if (!first) throw new Error('no fixture');
  const [run] = await begun(db, [first]);
  if (!run) throw new Error('not begun');
  return { run, rest };
}

function seen(run: BegunRun) {
  return { key: run.key, slot: 1, fence: run.fence, runId: run.runId };
}

async function release(run: BegunRun, link = db) {
  return await releaseKeySlot(link, { seen: seen(run), by: ANN });
}

async function slotOf(key: string) {
  const [slot] = await listKeySlots(db, { key, limit: 9 });
  return slot;
}

it('keys are busy while a run holds a slot of theirs, or waits', async () => {
  const { run } = await held('alone', 0);
  const busy = async () => (await listKeySlots(db, { busy: true, limit: 99 })).filter(({ key }) => key === 'alone');
  expect(await busy()).toMatchObject([{ holder: { runId: run.runId } }]);
  await finishRuns(db, [finishRequest(run)]);
  expect(await busy()).toEqual([]);
});

describe('a forced release', () => {
  it('ends the run on the slot with the reason, and another can begin at once under a higher fence', async () => {
    const { run, rest } = await held('stuck');
    const [next] = rest;
    if (!next) throw new Error('no fixture');
    const released = await release(run);
    if (released.kind !== 'released') throw new Error('not released');
    expect(released.cancelled).toBe(true);
    expect(released.fence).toBeGreaterThan(run.fence);
    expect(await findRun(db, run.runId)).toMatchObject({
      state: 'cancelled',
      reason: 'cancelled by ann, who released the key "stuck": hangs since noon',
      cancelRequestedBy: 'ann',
    });
    expect(await slotOf('stuck')).toMatchObject({ holder: null, fence: released.fence });
    const [begin] = await beginRuns(db, [beginRequest(next, 'worker-2')]);
    if (begin?.kind !== 'begun') throw new Error('not begun');
    expect(begin.run.fence).toBeGreaterThan(released.fence);
  });

  it('refuses the result of the old holder, before and after another has begun', async () => {
    const { run, rest } = await held('late');
    await release(run);
    expect(await finishRuns(processes.two, [finishRequest(run)])).toEqual(['stale']);
    await begun(db, rest);
    expect(await finishRuns(processes.two, [finishRequest(run)])).toEqual(['stale']);
    expect(await stateOf(db, run.runId)).toBe('cancelled');
    expect(await stateOf(db, rest[0]?.runId ?? '')).toBe('running');
  });

  it('is told to the worker that goes on, and noted for key and run', async () => {
    const { run } = await held('noted');
    await release(run);
    expect([...(await cancelRequests(db, [run.runId]))]).toEqual([
      [run.runId, { who: 'ann', reason: 'hangs since noon' }],
    ]);
    const entry = { action: 'release', principal: { name: 'ann' }, reason: 'hangs since noon' };
    expect(await auditEntries(db, { key: 'noted' })).toMatchObject([
      { ...entry, detail: { slot: 1, run: run.runId, worker: 'worker-1', fence: expect.any(Number) } },
    ]);
    expect(await auditEntries(db, { run: run.runId })).toMatchObject([{ ...entry, detail: { key: 'noted' } }]);
  });

  it('ends a run that is between its attempts', async () => {
    const { run } = await held('between');
    const retryAt = ago(-60 * MINUTE);
    await finishRuns(db, [
      finishRequest(run, {
        to: 'retrying',
        reason: 'x',
        retryAt,
        attemptOutcome: 'failed',
        lost: false,
        uncounted: false,
      }),
    ]);
    expect(await release(run)).toMatchObject({ kind: 'released', cancelled: true });
    expect(await stateOf(db, run.runId)).toBe('cancelled');
  });

  it('empties a slot whose run has ended without it', async () => {
    const { run } = await held('dead');
    await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
    await db.pool.query(`UPDATE run SET state = 'failed', reason = 'x', finished_at = now() WHERE id = $1`, [
      run.runId,
    ]);
    await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
    const other = newRunId(ago(0));
    await db.pool.query(
      `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, since) VALUES ($1, 'dead', 2, 1, $2, now(), now())`,
      [db.namespace, other],
    );
    expect(await release(run)).toMatchObject({ kind: 'released', cancelled: false });
    const { rows } = await db.pool.query(`SELECT slot, run_id FROM key_slot WHERE key = 'dead' ORDER BY slot`);
    expect(rows).toEqual([
      { slot: 1, run_id: null },
      { slot: 2, run_id: other },
    ]);
    expect(await stateOf(db, run.runId)).toBe('failed');
    expect(await slotOf('dead')).toMatchObject({ holder: null });
  });

  it('changes nothing where the key has changed hands since it was looked at', async () => {
    const { run, rest } = await held('handed');
    await finishRuns(db, [finishRequest(run)]);
    const [next] = await begun(db, rest);
    expect(await release(run)).toEqual({ kind: 'changed' });
    expect(await releaseKeySlot(db, { seen: { ...seen(run), runId: next?.runId ?? '' }, by: ANN })).toEqual({
      kind: 'changed',
    });
    expect(await stateOf(db, next?.runId ?? '')).toBe('running');
    expect(await auditEntries(db, { key: 'handed' })).toEqual([]);
  });

  it('is done once, whoever else releases the key or ends the run at that moment', async () => {
    const { run } = await held('race');
    const results = await Promise.all([
      release(run),
      release(run, processes.two),
      finishRuns(db, [finishRequest(run)]),
    ]);
    const released = results.slice(0, 2).filter((result) => 'kind' in result && result.kind === 'released');
    const state = await stateOf(db, run.runId);
    expect([released.length, state]).toEqual(released.length === 1 ? [1, 'cancelled'] : [0, 'succeeded']);
  });

  it('wakes the next in the wait queue, for whom the slot is kept', async () => {
    const { run, rest } = await held('waited', 2);
    await db.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE id = ANY ($1::uuid[])`, [
      rest.map(({ runId }) => runId),
    ]);
    await db.pool.query(`UPDATE key_slot SET awaited = true WHERE key = 'waited'`);
    expect(await slotOf('waited')).toMatchObject({ waiting: 2 });
    expect((await keyRuns(db, 'waited', 9)).map(({ runId }) => runId)).toEqual(rest.map(({ runId }) => runId));
    const [next] = rest;
    expect(await release(run)).toMatchObject({
      kind: 'released',
      woken: [{ id: next?.runId, dispatch: 2, queue: 'default+shell', scheduledFor: next?.scheduledFor }],
    });
    expect(await slotOf('waited')).toMatchObject({
      waiting: 1,
      holder: { runId: next?.runId, state: 'queued', attempt: 0, worker: null },
    });
  });
});

it('a rerun waits for its key, whatever its task says of overlap; unless it takes none', async () => {
  for (const [policy, expected] of [
    ['skip', 'wait-all'],
    ['allow', 'allow'],
  ] as const) {
    const taskId = await makeTask(db, { name: `rerun-${policy}`, overlap: { policy } });
    const [run] = await begun(db, await queueRuns(db, [{ taskId, key: policy, ageMs: MINUTE }]));
    if (!run) throw new Error('no fixture');
    await finishRuns(db, [finishRequest(run)]);
    await rerunRun(db, run.runId, ANN);
    const { rows } = await db.pool.query('SELECT overlap FROM run WHERE rerun_of = $1', [run.runId]);
    expect(rows).toEqual([{ overlap: expected }]);
  }
});
