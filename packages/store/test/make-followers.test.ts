import { newRunId, type TaskInput } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type FollowerRun, makeFollowers, openDatabase } from '../src/index.ts';
import { ago, deleteNow, MINUTE, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
const alone = openDatabase({ url, applicationName: 'alone', connections: 1 });
afterAll(() => Promise.all([one.close(), other.close(), alone.close()]));

beforeEach(() => one.pool.query('DELETE FROM run'));
beforeEach(() => one.pool.query('DELETE FROM followers_outbox'));

const CAUSE = newRunId(ago(5 * MINUTE));
const causing = await makeTask(one, { name: 'causes' });

/** Something is to be done about the run that causes others. `set`: what else is true of the note. */
async function aNote(set = 'tries = 0'): Promise<string> {
  const { rows } = await one.pool.query<{ id: string }>(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event)
     VALUES ('default', $1, now(), $2, 'finished') RETURNING id::text`,
    [CAUSE, causing],
  );
  const id = rows[0]?.id ?? '';
  await one.pool.query(`UPDATE followers_outbox SET ${set} WHERE id = $1`, [id]);
  return id;
}

let ordinal = 0;

/** A run of a task of its own that a note wants. */
async function wanted(
  noteId: string,
  task: Partial<TaskInput> & { name: string },
  more: Partial<FollowerRun> = {},
): Promise<FollowerRun> {
  const scheduledFor = ago(MINUTE);
  ordinal += 1;
  return {
    ...{ noteId, id: newRunId(scheduledFor), scheduledFor, origin: 'chain', key: task.name, payload: undefined },
    ...{ ordinal, depth: 1, traceparent: null, state: 'planned', reason: null },
    task: { id: await makeTask(one, task), version: 1 },
    ...more,
  };
}

const done = (noteId: string) => ({ noteId, error: null, retryInMs: null });
const failed = (noteId: string, retryInMs: number | null) => ({ noteId, error: 'no', retryInMs });

async function made(): Promise<string[]> {
  const { rows } = await one.pool.query<{ key: string }>('SELECT key FROM run ORDER BY key');
  return rows.map(({ key }) => key);
}

async function notes() {
  const { rows } = await one.pool.query(
    `SELECT id::text, tries, error, given_up_at IS NOT NULL AS "givenUp", not_before > now() + interval '1 min' AS later
     FROM followers_outbox ORDER BY id`,
  );
  return rows;
}

const AS_IT_WAS = { tries: 0, error: null, givenUp: false, later: false };

it('makes a run of its task as it is, and the note is gone', async () => {
  const note = await aNote();
  const task = { name: 'made', pool: 'big', limit: 3, startDeadlineMs: MINUTE } as const;
  const run = await wanted(note, { ...task, rate: { limit: 1, perMs: MINUTE, key: 'of {{payload.x}}' } });
  const { id, scheduledFor } = run;
  const asked = { ...run, key: 'k', payload: { x: 'a' }, depth: 4, traceparent: 'span', ordinal: 7 } as const;
  expect(await makeFollowers(one, [done(note)], [asked])).toEqual([
    { id, scheduledFor, dueAt: scheduledFor, queue: 'big+shell', dispatch: 1, traceparent: 'span' },
  ]);
  const { rows } = await one.pool.query(
    `SELECT namespace, task_id, task_version, origin, state, reason, key, key_limit, overlap, pool, need, start_by - due_at = '1 min' AS deadline,
       finished_at, payload, cause_run_id, ordinal, depth, traceparent, rate_key FROM run`,
  );
  expect(rows).toEqual([
    {
      ...{
        namespace: 'default',
        task_id: run.task.id,
        task_version: 1,
        origin: 'chain',
        state: 'planned',
        reason: null,
      },
      ...{ key: 'k', key_limit: 3, overlap: 'wait-all', pool: 'big', need: 'shell', deadline: true, finished_at: null },
      ...{ payload: { x: 'a' }, cause_run_id: CAUSE, ordinal: 7, depth: 4, traceparent: 'span', rate_key: 'of a' },
    },
  ]);
  expect(await notes()).toEqual([]);
});

it('a payload that is null is one, and a run may have none of its own', async () => {
  const note = await aNote();
  const runs = [await wanted(note, { name: 'a-null' }, { payload: null }), await wanted(note, { name: 'b-none' })];
  await makeFollowers(one, [done(note)], runs);
  const { rows } = await one.pool.query(`SELECT payload::text AS payload FROM run ORDER BY key`);
  expect(rows).toEqual([{ payload: 'null' }, { payload: null }]);
});

it('a run that is skipped has ended, and no queue is told of it', async () => {
  const note = await aNote();
  const run = await wanted(note, { name: 'skipped' }, { state: 'skipped', reason: 'paused' });
  expect(await makeFollowers(one, [done(note)], [run])).toEqual([]);
  const { rows } = await one.pool.query('SELECT state, reason, finished_at IS NOT NULL AS ended FROM run');
  expect(rows).toEqual([{ state: 'skipped', reason: 'paused', ended: true }]);
});

it.each([
  ['was changed', (id: string) => one.pool.query('UPDATE task SET version = 2 WHERE id = $1', [id])],
  ['was deleted', (id: string) => one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id])],
  ['is of another namespace', (id: string) => one.pool.query(`UPDATE task SET namespace = 'x' WHERE id = $1`, [id])],
])(
  'a run whose task %s meanwhile is not made, and its note stays; other notes and runs do not mind',
  async (why, change) => {
    const name = why.replaceAll(' ', '-');
    const [note, beside] = [await aNote(), await aNote()];
    const run = await wanted(note, { name });
    const fits = await wanted(note, { name: `${name}-fits` });
    const another = await wanted(beside, { name: `${name}-beside` });
    await change(run.task.id);
    await makeFollowers(one, [done(note), done(beside)], [run, fits, another]);
    expect(await made()).toEqual([`${name}-beside`, `${name}-fits`]);
    expect(await notes()).toEqual([{ id: note, ...AS_IT_WAS }]);
  },
);

it.each([
  ['tried again', 60 * MINUTE, { givenUp: false, later: true }],
  ['tried again at once', 0, { givenUp: false, later: false }],
  ['given up', null, { givenUp: true, later: false }],
])('a note that could not be done is %s, and those of its runs that can be made are', async (_, retryInMs, then) => {
  const [note, beside] = [await aNote('tries = 2'), await aNote()];
  const left = await aNote();
  const run = await wanted(note, { name: `failed-${retryInMs}` });
  expect(await makeFollowers(one, [failed(note, retryInMs), done(beside)], [run])).toHaveLength(1);
  expect(await notes()).toEqual([
    { id: note, tries: 3, error: 'no', ...then },
    { id: left, ...AS_IT_WAS },
  ]);
});

it('runs that were made before are not made again', async () => {
  const note = await aNote();
  const run = await wanted(note, { name: 'again' });
  expect(await makeFollowers(one, [failed(note, 0)], [run])).toHaveLength(1);
  expect(await makeFollowers(one, [done(note)], [{ ...run, id: newRunId(run.scheduledFor) }])).toEqual([]);
  expect(await made()).toEqual(['again']);
  expect(await notes()).toEqual([]);
});

it.each([
  ['was given up', `given_up_at = now(), error = 'no'`],
  ['is of another namespace', `namespace = 'other'`],
])('a note that %s is left alone', async (why, set) => {
  const note = await aNote(set);
  const before = await notes();
  const run = await wanted(note, { name: why.replaceAll(' ', '-') });
  expect(await makeFollowers(one, [done(note)], [run])).toEqual([]);
  expect([await made(), await notes()]).toEqual([[], before]);
});

it('no note is carried out from another namespace', async () => {
  const note = await aNote();
  const run = await wanted(note, { name: 'theirs' });
  expect(await makeFollowers(other, [done(note)], [run])).toEqual([]);
  expect([await made(), await notes()]).toEqual([[], [{ id: note, ...AS_IT_WAS }]]);
});

it('a note that somebody else carries out is not waited for, and the others are carried out', async () => {
  const [busy, free] = [await aNote(), await aNote()];
  const runs = [await wanted(busy, { name: 'busy' }), await wanted(free, { name: 'free' })];
  const lock = await lockRows(url, 'SELECT FROM followers_outbox WHERE id = $1 FOR UPDATE', [busy]);
  const answer = makeFollowers(one, [done(busy), done(free)], runs);
  expect(await Promise.race([answer.then(() => 'done'), lock.awaited().then(() => 'waits')])).toBe('done');
  await lock.release();
  expect([await made(), await notes()]).toEqual([['free'], [{ id: busy, ...AS_IT_WAS }]]);
});

it.each([
  ['is due later', 'planned', -60 * MINUTE, ['default']],
  ['is due', 'planned', MINUTE, []],
  ['is skipped', 'skipped', -60 * MINUTE, []],
] as const)('whether schedulers are woken for a run that %s', async (why, state, ageMs, told) => {
  const note = await aNote();
  const run = await wanted(
    note,
    { name: why.replaceAll(' ', '-') },
    { state, reason: state === 'skipped' ? 'x' : null },
  );
  const client = await alone.pool.connect();
  const heard: string[] = [];
  const hear = ({ payload }: { payload?: string | undefined }) => heard.push(payload ?? '');
  client.on('notification', hear);
  await client.query('LISTEN escapement_wake');
  client.release();
  const found = await makeFollowers(alone, [done(note)], [{ ...run, scheduledFor: ago(ageMs) }]);
  expect(found).toHaveLength(ageMs > 0 ? 1 : 0);
  await alone.pool.query('UNLISTEN *');
  client.off('notification', hear);
  expect(heard).toEqual(told);
});

it('a run of a task that is made again under its name is not made for the one that was deleted', async () => {
  const note = await aNote();
  const run = await wanted(note, { name: 'made-again' });
  await deleteNow(one, 'made-again', by('ann'));
  await makeTask(one, { name: 'made-again' });
  expect(await makeFollowers(one, [done(note)], [run])).toEqual([]);
  expect(await notes()).toEqual([{ id: note, ...AS_IT_WAS }]);
});
