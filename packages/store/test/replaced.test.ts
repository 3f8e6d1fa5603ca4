import type { TaskInput } from '@escapement/core';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

// The functions finish_replaced and ask_replaced: what a run under replace ends, and whom it asks to stop.
const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const AT_WORK = `state = 'running', attempt = 1, fence = 1, worker = 'w'`;
const IN_LINE = `state = 'waiting', waiting_since = now()`;
const CHANNEL = 'replaced_test';

type Made = Partial<TaskInput> & { name: string };

/** A run of a task of its own, by default under replace. */
async function aRun({ name, ...input }: Made, set: string | null = null, db = one): Promise<QueuedFixture> {
  const taskId = await makeTask(db, { name, overlap: 'replace', ...input });
  const [run] = await queueRuns(db, [{ taskId, key: input.key ?? name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  if (set !== null) await setRun(run, set);
  return run;
}

const setRun = (run: QueuedFixture, set: string) => one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);

/** It has that slot, or, with `ofRun`, only the slot says so. */
async function holds(run: QueuedFixture, slot: number, { ofRun = slot } = {}): Promise<QueuedFixture> {
  await setRun(run, `slot = ${ofRun}`);
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since)
     SELECT namespace, key, $2, 1, id, scheduled_for, worker, now() FROM run WHERE id = $1`,
    [run.runId, slot],
  );
  return run;
}

async function finish(by: QueuedFixture): Promise<boolean> {
  const { rows } = await one.pool.query<{ frees: boolean }>('SELECT finish_replaced($1, $2, $3) AS frees', [
    ...['default', by.key, by.runId],
  ]);
  return rows[0]?.frees ?? false;
}

async function ask(by: QueuedFixture): Promise<number | undefined> {
  const { rows } = await one.pool.query<{ asked: number }>('SELECT ask_replaced($1, $2, $3, $4) AS asked', [
    ...['default', by.key, by.runId, CHANNEL],
  ]);
  return rows[0]?.asked;
}

async function rowOf(run: QueuedFixture) {
  const { rows } = await one.pool.query('SELECT state, reason, blocked_by AS by FROM run WHERE id = $1', [run.runId]);
  return rows[0];
}

async function askedOf(run: QueuedFixture): Promise<string | null> {
  const { rows } = await one.pool.query(
    'SELECT CASE WHEN cancel_requested_at IS NOT NULL THEN cancel_reason END AS why FROM run WHERE id = $1',
    [run.runId],
  );
  return rows[0].why;
}

it('ends those that wait to replace, and frees no slot by it', async () => {
  const by = await aRun({ name: 'waiting' }, IN_LINE);
  const older = await aRun({ name: 'older', key: 'waiting' }, IN_LINE);
  expect(await finish(by)).toBe(false);
  expect(await rowOf(older)).toEqual({
    state: 'skipped',
    reason: `replaced by run ${by.runId} before it started`,
    by: by.runId,
  });
  expect((await rowOf(by)).state).not.toBe('skipped');
});

it.each([
  ['is between its attempts', `state = 'retrying', attempt = 1`, 'wait-one', 'cancelled'],
  ['is queued for a further attempt', 'attempt = 1', 'wait-one', 'cancelled'],
  ['has not begun, under replace', 'attempt = 0', 'replace', 'skipped'],
] as const)('ends a run with a slot that %s, and frees the slot', async (why, set, overlap, state) => {
  const key = why.replaceAll(/[ ,]+/g, '-');
  const by = await aRun({ name: `${key}-by`, key });
  const run = await holds(await aRun({ name: key, key, overlap }, set), 1);
  expect(await finish(by)).toBe(true);
  const how = state === 'skipped' ? '' : 'cancelled between attempts: ';
  const before = state === 'skipped' ? ' before it started' : '';
  expect(await rowOf(run)).toEqual({ state, reason: `${how}replaced by run ${by.runId}${before}`, by: by.runId });
});

it('a slot among others that get none free is told', async () => {
  const by = await aRun({ name: 'both' });
  await aRun({ name: 'both-waits', key: 'both' }, IN_LINE);
  await holds(await aRun({ name: 'both-retries', key: 'both' }, `state = 'retrying', attempt = 1`), 1);
  expect(await finish(by)).toBe(true);
});

it('ends no run of another key or namespace, none that waits under another policy or between attempts, and not itself', async () => {
  const by = await holds(await aRun({ name: 'mine' }), 3);
  const left = [
    by,
    await aRun({ name: 'mine' }, IN_LINE, other),
    await aRun({ name: 'not-mine' }, IN_LINE),
    await aRun({ name: 'patient', key: 'mine', overlap: 'wait-all' }, IN_LINE),
    await aRun({ name: 'waits-again', key: 'mine' }, `${IN_LINE}, attempt = 1`),
    await aRun({ name: 'only-queued', key: 'mine' }),
    await holds(await aRun({ name: 'slot-away', key: 'mine' }, `state = 'retrying', attempt = 1`, other), 1),
    await holds(await aRun({ name: 'slot-beside', key: 'beside' }, `state = 'retrying', attempt = 1`), 1),
  ];
  const states = async () => (await Promise.all(left.map(rowOf))).map((row) => row.state);
  const before = await states();
  expect(await finish(by)).toBe(false);
  expect(await states()).toEqual(before);
});

it('ends no run at work, none woken under another policy, and none whose slot is another one', async () => {
  const by = await aRun({ name: 'left' });
  const left = [
    await holds(await aRun({ name: 'at-work', key: 'left' }, `${AT_WORK}, started_at = now()`), 1),
    await holds(await aRun({ name: 'woken', key: 'left', overlap: 'wait-all' }), 2),
    await holds(await aRun({ name: 'moved', key: 'left' }, `state = 'retrying', attempt = 1`), 3, { ofRun: 4 }),
  ];
  expect(await finish(by)).toBe(false);
  expect((await Promise.all(left.map(rowOf))).map((row) => row.state)).toEqual(['running', 'queued', 'retrying']);
});

/** At work since so many minutes, on a slot. */
async function atWork(input: Made, slot: number, minutes: number, db = one): Promise<QueuedFixture> {
  const run = await aRun(
    input,
    `${AT_WORK}, started_at = date_trunc('day', now()) - ${minutes} * interval '1 min'`,
    db,
  );
  return await holds(run, slot);
}

it('asks the one that is longest at work, of its own key and namespace, and nobody else after that', async () => {
  const by = await atWork({ name: 'ask' }, 1, 50);
  const away = await atWork({ name: 'ask' }, 1, 40, other);
  const beside = await atWork({ name: 'ask-beside' }, 1, 40);
  const retrying = await holds(
    await aRun(
      { name: 'ask-retrying', key: 'ask' },
      `state = 'retrying', attempt = 1, started_at = now() - interval '30 d'`,
    ),
    2,
  );
  const short = await atWork({ name: 'ask-short', key: 'ask' }, 3, 10);
  const long = await atWork({ name: 'ask-long', key: 'ask' }, 4, 20);
  expect(await ask(by)).toBe(1);
  expect(await askedOf(long)).toBe(`replaced by run ${by.runId}`);
  for (const run of [by, away, beside, retrying, short]) expect(await askedOf(run)).toBeNull();
  expect(await ask(by)).toBe(0);
  expect(await askedOf(short)).toBeNull();
});

it('nobody is asked where somebody was already, be it by a person; what was scheduled for the same instant is left alone', async () => {
  const by = await aRun({ name: 'once' });
  const long = await atWork({ name: 'once-long', key: 'once' }, 1, 20);
  const short = await atWork({ name: 'once-short', key: 'once' }, 2, 10);
  const beside = await aRun({ name: 'once-beside' }, `${AT_WORK}, started_at = now()`);
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [beside.runId, long.scheduledFor]);
  await setRun(short, `cancel_requested_at = now(), cancel_requested_by = 'ann'`);
  expect(await ask(by)).toBe(0);
  await setRun(short, 'cancel_requested_at = NULL, cancel_requested_by = NULL');
  expect(await ask(by)).toBe(1);
  expect([await askedOf(long), await askedOf(short), await askedOf(beside)]).toEqual([
    ...[`replaced by run ${by.runId}`, null, null],
  ]);
});

it('of two that began at one instant it asks the first by id', async () => {
  const [a, b] = [await atWork({ name: 'tie' }, 2, 5), await atWork({ name: 'tie-2', key: 'tie' }, 1, 5)];
  expect(await ask(await aRun({ name: 'tie-by', key: 'tie' }))).toBe(1);
  expect([await askedOf(a), await askedOf(b)].filter((why) => why !== null)).toHaveLength(1);
  expect(await askedOf(a.runId < b.runId ? a : b)).not.toBeNull();
});

it('a run that asks twice is told to the workers once', async () => {
  const by = await aRun({ name: 'told' });
  await atWork({ name: 'told-holder', key: 'told' }, 1, 5);
  const client = await one.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await client.query(`LISTEN ${CHANNEL}`);
  try {
    const asking = 'SELECT ask_replaced($1, $2, $3, $4)';
    for (const _ of [1, 2]) await client.query(asking, ['default', 'told', by.runId, CHANNEL]);
    // What was sent before comes with the answer to this.
    await client.query('SELECT 1');
  } finally {
    client.release(true);
  }
  expect(heard).toEqual(['default']);
});

it.each([
  ['has ended its attempt', `state = 'retrying'`],
  ['was asked to stop', `cancel_requested_at = now(), cancel_requested_by = 'ann', cancel_reason = 'enough'`],
])('one that %s while it was waited for is not asked', async (why, set) => {
  const key = why.replaceAll(' ', '-');
  const by = await aRun({ name: `${key}-by`, key });
  const holder = await atWork({ name: key, key }, 1, 5);
  const held = await lockRows(url, `UPDATE run SET ${set} WHERE id = $1`, [holder.runId]);
  const answer = ask(by);
  await held.awaited();
  await held.commit();
  expect(await answer).toBe(0);
  expect(await askedOf(holder)).toBe(set.includes('enough') ? 'enough' : null);
});

it.each([
  ['is at work', `${AT_WORK}, started_at = now()`],
  ['is between its attempts', `state = 'retrying', attempt = 1`],
  ['is queued for a further attempt', 'attempt = 1'],
])('a run that was made to run in its turn is not replaced while it %s', async (why, set) => {
  const key = `in-turn-${why.replaceAll(' ', '-')}`;
  const by = await aRun({ name: `${key}-by`, key });
  const run = await holds(await aRun({ name: key, key, overlap: 'wait-all' }, set), 1);
  const before = await rowOf(run);
  expect([await finish(by), await ask(by)]).toEqual([false, 0]);
  expect([await rowOf(run), await askedOf(run)]).toEqual([before, null]);
});
