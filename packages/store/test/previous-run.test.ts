import { afterAll, expect, it } from 'vitest';
import { previousOf } from '../src/index.ts';
import { begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const BEGAN = `attempt = 1, worker = 'w', fence = 1, started_at = scheduled_for + interval '1 s'`;
const ENDED = `finished_at = scheduled_for + interval '2 s'`;
const SUCCEEDED = `state = 'succeeded', ${BEGAN}, ${ENDED}`;

interface Before {
  older?: string;
  newer?: string;
}

/** A run at work, and the two before it, the older first, which have succeeded by default. */
async function threeOf(name: string, { older = SUCCEEDED, newer = SUCCEEDED }: Before = {}) {
  const taskId = await makeTask(one, { name });
  const ages = [30 * MINUTE, 20 * MINUTE, 10 * MINUTE];
  const [first, second, last] = await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
  if (!first || !second || !last) throw new Error('no fixture');
  await set(first.runId, older);
  await set(second.runId, newer);
  const [run] = await begun(one, [last]);
  if (!run) throw new Error('not begun');
  return { run, older: first.runId, newer: second.runId };
}

const set = (id: string, columns: string) => one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [id]);

it('the newest of those before it is told as it ended', async () => {
  const failed = `state = 'failed', reason = 'no', output = '{"n": 1}', ${BEGAN}, ${ENDED}`;
  const { run, newer } = await threeOf('told', { newer: failed });
  const { rows } = await one.pool.query('SELECT scheduled_for, started_at, finished_at FROM run WHERE id = $1', [
    newer,
  ]);
  expect(await previousOf(one, run)).toEqual({
    id: newer,
    state: 'failed',
    scheduledFor: rows[0].scheduled_for,
    startedAt: rows[0].started_at,
    finishedAt: rows[0].finished_at,
    reason: 'no',
    output: { n: 1 },
  });
});

it('there is none before the first one', async () => {
  const { run, older, newer } = await threeOf('first');
  await one.pool.query('DELETE FROM run WHERE id = ANY ($1)', [[older, newer]]);
  expect(await previousOf(one, run)).toBeNull();
});

it.each([
  ['is of another task', `${SUCCEEDED}, task_id = gen_random_uuid()`],
  ['is of another key', `${SUCCEEDED}, key = 'another'`],
  ['is of another namespace', `${SUCCEEDED}, namespace = 'other'`],
  ['comes after it', `${SUCCEEDED}, scheduled_for = scheduled_for + interval '15 min'`],
  ['is at work', `state = 'running', ${BEGAN}`],
  ['waits for its next attempt', `state = 'retrying', ${BEGAN}, due_at = now() + interval '1 h'`],
  ['never began', `state = 'skipped', reason = 'x', ${ENDED}`],
])('one that %s is none before it', async (why, newer) => {
  const { run, older } = await threeOf(why.replaceAll(' ', '-'), { newer });
  expect(await previousOf(one, run)).toMatchObject({ id: older });
});

/** Of a run: it succeeded at the instant of another one of its key, counted from the newest, and its id begins so. */
const together = (nth: number, idBegins: string) =>
  `${SUCCEEDED}, origin = 'trigger', id = overlay(id::text placing '${idBegins}' from 1)::uuid,
   scheduled_for = (SELECT o.scheduled_for FROM run o WHERE o.key = run.key ORDER BY 1 DESC LIMIT 1 OFFSET ${nth})`;

it('of the same instant those of smaller ids are before it', async () => {
  const { run, older } = await threeOf('instant', { older: together(0, '01000000'), newer: together(0, 'ff000000') });
  expect(await previousOf(one, run)).toMatchObject({ id: `01000000${older.slice(8)}` });
});

it('of two of one instant before it the one with the greater id is told', async () => {
  const { run, older } = await threeOf('twins', { older: together(1, 'ff000000') });
  expect(await previousOf(one, run)).toMatchObject({ id: `ff000000${older.slice(8)}` });
});

it.each([
  ['ended over its head', `state = 'retrying'`],
  ['is at its next attempt', 'attempt = 2'],
])('a run that has %s is refused', async (why, columns) => {
  const { run } = await threeOf(why.replaceAll(' ', '-'));
  await set(run.runId, columns);
  await expect(previousOf(one, run)).rejects.toMatchObject({ code: 'run_not_current' });
});
