import { testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { dueOutboxEntries, type OutboxEntry, openDatabase, outboxEntriesOf } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

beforeEach(() => one.pool.query('DELETE FROM followers_outbox'));

type Made = QueuedFixture & { taskId: string };

/** A run of a task of its own. `set`: what else is true of the run. */
async function aRun(name: string, set = 'attempt = 0', payload?: string): Promise<Made> {
  const taskId = await makeTask(one, { name, ...(payload === undefined ? {} : { payload }) });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: 5 * MINUTE }]);
  if (!run) throw new Error('no fixture');
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  return { ...run, taskId };
}

/** Something is to be done about a run, and has been due for 20 minutes. `set`: what else is true of the note. */
async function note(run: Made, event: string, { detail, set }: { detail?: object; set?: string } = {}) {
  const { rows } = await one.pool.query<{ id: string }>(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, detail, not_before, created_at)
     VALUES ('default', $1, $2, $3, $4, $5, now() - interval '20 min', now() - interval '1 h') RETURNING id::text`,
    [run.runId, run.scheduledFor, run.taskId, event, detail ? JSON.stringify(detail) : null],
  );
  const id = rows[0]?.id ?? '';
  if (set) await one.pool.query(`UPDATE followers_outbox SET ${set} WHERE id = $1`, [id]);
  return id;
}

async function theOnly(run: Made): Promise<OutboxEntry> {
  const [entry, ...more] = await outboxEntriesOf(one, [run.runId]);
  if (!entry || more.length > 0) throw new Error('not one entry');
  return entry;
}

const FAILED = `state = 'failed', reason = 'no', attempt = 2, worker = 'w', fence = 1, started_at = due_at + interval '1 s',
  finished_at = due_at + interval '2 s', exit_code = 3, error = '{"name": "E", "message": "no"}', depth = 4, traceparent = 'span'`;

it('tells an end with the run as it is', async () => {
  const run = await aRun('ended', `${FAILED}, output = '{"n": 1}', payload = '"own"'`);
  const id = await note(run, 'finished', { set: 'tries = 2' });
  const seconds = (n: number) => new Date(run.scheduledFor.getTime() + n * 1000);
  expect(await theOnly(run)).toEqual({
    id,
    what: { event: 'finished' },
    notedAt: expect.any(Date),
    tries: 2,
    taskId: run.taskId,
    taskVersion: 1,
    run: {
      ...{ id: run.runId, task: 'ended', state: 'failed', reason: 'no', attempt: 2, origin: 'schedule', key: 'ended' },
      ...{ scheduledFor: run.scheduledFor, dueAt: run.scheduledFor, startedAt: seconds(1), finishedAt: seconds(2) },
      ...{ exitCode: 3, occurrences: 1, output: { n: 1 }, payload: 'own', error: { name: 'E', message: 'no' } },
      ...{ depth: 4, traceparent: 'span' },
    },
  });
});

it('tells a start with the run as it was then, though it has ended since', async () => {
  const run = await aRun('started', `${FAILED}, output = '{"n": 1}'`);
  const dueAt = ago(7 * MINUTE);
  await note(run, 'started', { detail: { dueAt: dueAt.getTime() } });
  const entry = await theOnly(run);
  expect(entry.what).toEqual({ event: 'started' });
  expect(entry.run).toMatchObject({
    ...{ id: run.runId, state: 'running', reason: null, attempt: 1, dueAt, startedAt: entry.notedAt, finishedAt: null },
    ...{ exitCode: null, output: undefined, error: null, depth: 4 },
  });
});

it('tells the runs that a handler asked for', async () => {
  const run = await aRun('chains');
  const chain = [{ task: 'next', payload: { n: 1 } }];
  await note(run, 'chain', { detail: chain });
  expect(await theOnly(run)).toMatchObject({ what: { event: 'chain', chain } });
});

it('a run without output has none, and null is one', async () => {
  const [none, aNull] = [await aRun('no-output', FAILED), await aRun('null-output', `${FAILED}, output = 'null'`)];
  for (const run of [none, aNull]) await note(run, 'finished');
  expect((await theOnly(none)).run).toMatchObject({ output: undefined });
  expect((await theOnly(aNull)).run).toMatchObject({ output: null });
});

it('the payload is that of the run, or that of the version of the task that it is of', async () => {
  const own = await aRun('own', `payload = '"own"'`, 'of the task');
  const alone = await aRun('alone', `payload = '"alone"'`);
  const none = await aRun('none');
  const ofTask = await aRun('of-task', 'attempt = 0', 'of the task');
  await one.pool.query(
    `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
     SELECT task_id, 2, '{"payload": "later"}', source, created_by, saver_kind, saver_id FROM task_version v WHERE v.task_id = $1`,
    [ofTask.taskId],
  );
  const payloads: unknown[] = [];
  for (const run of [own, alone, none, ofTask]) {
    await note(run, 'finished');
    payloads.push((await theOnly(run)).run?.payload);
  }
  expect(payloads).toEqual(['own', 'alone', undefined, 'of the task']);
});

it('of a run that was pruned there is nothing to tell but what was noted', async () => {
  const run = await aRun('pruned');
  await note(run, 'finished');
  await one.pool.query('DELETE FROM run WHERE id = $1', [run.runId]);
  expect(await theOnly(run)).toMatchObject({ what: { event: 'finished' }, taskId: run.taskId, run: null });
});

const AT = ago(-60 * MINUTE);
const FOR_IT = { task: 'task_id', from: 0, until: 'NULL', run: 'NULL' };

it.each([
  ['is paused for that time', {}, { note: 'why' }],
  ['is paused from then on', { from: 60 }, { note: 'why' }],
  ['is paused from later on', { from: 61 }, null],
  ['is paused until later', { until: `now() + interval '62 min'` }, { note: 'why' }],
  ['is not paused any more then', { until: `now() + interval '58 min'` }, null],
  ['is paused because it fails', { run: 'gen_random_uuid()' }, null],
  [
    'has another one beside it that is paused',
    { task: `(SELECT id FROM task WHERE name LIKE 'beside-%' LIMIT 1)` },
    null,
  ],
])('a next run of a task that %s', async (why, pause, paused) => {
  const { task, from, until, run: failed } = { ...FOR_IT, ...pause };
  const name = why.replaceAll(' ', '-');
  const run = await aRun(name);
  await makeTask(one, { name: `beside-${name}` });
  await note(run, 'next', { detail: { at: AT.getTime() } });
  await one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by, run_id)
     SELECT ${task}, $2::timestamptz - $3 * interval '1 min', ${until}, 'why', 'ann', ${failed}
     FROM followers_outbox WHERE run_id = $1`,
    [run.runId, AT, 60 - from],
  );
  expect(await theOnly(run)).toMatchObject({ what: { event: 'next', at: AT, paused } });
  await one.pool.query('DELETE FROM task_pause');
});

it('a pause may have no note', async () => {
  const run = await aRun('no-note');
  await note(run, 'next', { detail: { at: AT.getTime() } });
  await one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, created_by) VALUES ($1, now() - interval '1 h', 'ann')`,
    [run.taskId],
  );
  expect(await theOnly(run)).toMatchObject({ what: { paused: { note: null } } });
});

it.each([
  ['is not due yet', `not_before = now() + interval '1 h'`],
  ['was given up', `given_up_at = now(), error = 'no'`],
  ['is of another namespace', `namespace = 'other'`],
])('what %s is not to be done', async (why, set) => {
  const run = await aRun(why.replaceAll(' ', '-'));
  await note(run, 'finished', { set });
  expect(await outboxEntriesOf(one, [run.runId])).toEqual([]);
  expect(await dueOutboxEntries(one, { olderThanMs: 0, limit: 9 })).toEqual([]);
});

it('names what is to be done about the runs that are asked for, in the order in which it was noted', async () => {
  const [run, another, beside] = [await aRun('asked'), await aRun('asked-too'), await aRun('asked-not')];
  const [first, , third] = [
    await note(run, 'started', { detail: {} }),
    await note(beside, 'finished'),
    await note(another, 'finished'),
  ];
  const fourth = await note(run, 'finished', { set: `not_before = now() - interval '2 h'` });
  const found = await outboxEntriesOf(one, [another.runId, run.runId]);
  expect(found.map(({ id }) => id)).toEqual([first, third, fourth]);
  expect(await outboxEntriesOf(other, [run.runId])).toEqual([]);
});

it('names what has been due for so long, the oldest first', async () => {
  const run = await aRun('due');
  const late = await note(run, 'finished');
  const oldest = await note(run, 'finished', { set: `not_before = now() - interval '40 min'` });
  const twins = [await note(run, 'finished'), await note(run, 'finished')];
  await one.pool.query(
    `UPDATE followers_outbox SET not_before = date_trunc('day', now()) - interval '1 day' WHERE id = ANY ($1)`,
    [twins],
  );
  const due = async (olderThanMs: number, limit = 9) =>
    (await dueOutboxEntries(one, { olderThanMs, limit })).map(({ id }) => id);
  expect(await due(10 * MINUTE)).toEqual([...twins, oldest, late]);
  expect(await due(30 * MINUTE)).toEqual([...twins, oldest]);
  expect(await due(0, 1)).toEqual(twins.slice(0, 1));
  expect(await dueOutboxEntries(other, { olderThanMs: 0, limit: 9 })).toEqual([]);
});
