import { newRunId } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { findOverwaited, finishOverwaited, type OverwaitedRun } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const LIMIT = 100;
const WAITED_MS = 20 * MINUTE;

beforeEach(async () => {
  for (const table of ['key_slot', 'run']) await one.pool.query(`DELETE FROM ${table}`);
});

const set = (run: QueuedFixture, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run.runId]);

/** A run that has waited for its key for too long. */
async function overwaited(name: string): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: WAITED_MS }]);
  if (!run) throw new Error('no fixture');
  await set(run, `state = 'waiting', waiting_since = now() - interval '20 min', wait_until = now() - interval '1 min'`);
  return run;
}

/** Gives a slot to a run of some kind; answers with that run's id. */
async function slotOf(key: string, slot: number, more: { runId?: string; namespace?: string; since?: Date } = {}) {
  const { runId = newRunId(ago(MINUTE)), namespace = one.namespace, since = ago(MINUTE) } = more;
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, run_id, run_scheduled_for, since) VALUES ($1, $2, $3, $4, now(), $5)`,
    [namespace, key, slot, runId, since],
  );
  return runId;
}

async function seen(): Promise<OverwaitedRun> {
  const [run] = await findOverwaited(one, LIMIT);
  if (!run) throw new Error('not found');
  return run;
}

async function endOf(run: QueuedFixture) {
  const { rows } = await one.pool.query('SELECT state, reason, blocked_by FROM run WHERE id = $1', [run.runId]);
  return rows[0];
}

it('tells what is known of a run that has waited for too long, in its own namespace', async () => {
  const run = await overwaited('all');
  const late = await seen();
  expect(late).toEqual({
    id: run.runId,
    scheduled_for: run.scheduledFor,
    dispatch: 1,
    attempt: 0,
    key: 'all',
    waited_ms: expect.any(Number),
    holder: null,
  });
  expect(late.waited_ms).toBeGreaterThanOrEqual(WAITED_MS);
  expect(late.waited_ms).toBeLessThan(WAITED_MS + 5 * MINUTE);
  expect(Number.isInteger(late.waited_ms)).toBe(true);
  expect(await findOverwaited({ ...one, namespace: 'other' }, LIMIT)).toEqual([]);
});

it.each([
  ['waits for as long as it takes', 'wait_until = NULL'],
  ['has time left', `wait_until = now() + interval '1 h'`],
  ['was woken', `state = 'queued'`],
  ['is held', `state = 'held'`],
  ['has ended', `state = 'skipped', reason = 'why', finished_at = now()`],
])('finds no run that %s', async (why, columns) => {
  await set(await overwaited(why.replaceAll(' ', '-')), columns);
  expect(await findOverwaited(one, LIMIT)).toEqual([]);
});

it('takes those first whose time was over first', async () => {
  const [a, b, c] = [await overwaited('a'), await overwaited('b'), await overwaited('c')];
  for (const [index, run] of [b, c, a].entries()) await set(run, `wait_until = now() - interval '${10 - index} min'`);
  const found = async (limit: number) => (await findOverwaited(one, limit)).map(({ id }) => id);
  expect(await found(LIMIT)).toEqual([b.runId, c.runId, a.runId]);
  expect(await found(2)).toEqual([b.runId, c.runId]);
});

it('names who has held its key for longest', async () => {
  await overwaited('held');
  await slotOf('held', 1, { since: ago(MINUTE) });
  const longest = await slotOf('held', 2, { since: ago(3 * MINUTE) });
  await slotOf('held', 3, { since: ago(2 * MINUTE) });
  expect(await findOverwaited(one, LIMIT)).toMatchObject([{ holder: longest }]);
});

it('names nobody for a slot of another key, of another namespace, or its own', async () => {
  const run = await overwaited('alone');
  await slotOf('not-alone', 1);
  await slotOf('alone', 1, { namespace: 'other' });
  await slotOf('alone', 1, { runId: run.runId });
  expect((await seen()).holder).toBeNull();
});

it('names the run that it was told to wait for, where nobody holds the key any more', async () => {
  const run = await overwaited('was-held');
  const told = newRunId(ago(MINUTE));
  await set(run, `blocked_by = '${told}'`);
  expect((await seen()).holder).toBe(told);
  const holder = await slotOf('was-held', 1);
  expect((await seen()).holder).toBe(holder);
});

it('skips the run, and names the one in its way', async () => {
  const run = await overwaited('skipped');
  const holder = await slotOf('skipped', 1);
  expect(await finishOverwaited(one, [await seen()])).toBe(1);
  expect(await endOf(run)).toEqual({
    state: 'skipped',
    reason: expect.stringMatching(
      new RegExp(`^the key "skipped" was held by run ${holder}, and it had waited for 2\\d min`),
    ),
    blocked_by: holder,
  });
});

it('skips a run that waited for its rate as such', async () => {
  const run = await overwaited('rated');
  await finishOverwaited(one, [await seen()]);
  expect(await endOf(run)).toEqual({
    state: 'skipped',
    reason: expect.stringMatching(/^it was over its rate, and it had waited for 2\d min/),
    blocked_by: null,
  });
});

it.each([
  ['woken', `state = 'queued'`],
  ['queued-anew', 'dispatch = 2'],
  ['begun', 'attempt = 1'],
])('leaves alone what is %s since it was found', async (why, columns) => {
  const run = await overwaited(why);
  const late = await seen();
  await set(run, columns);
  expect(await finishOverwaited(one, [late])).toBe(0);
  expect((await endOf(run)).state).not.toBe('skipped');
});
