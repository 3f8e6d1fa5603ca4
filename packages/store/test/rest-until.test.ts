import { newRunId } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { ago, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

interface Rest {
  id: string;
  from: Date;
  until: Date;
}

/** A task whose schedule has rested so often, each time until a run's own date. */
async function rested(name: string, rests: readonly [fromAgoMs: number, untilAgoMs: number][]) {
  const taskId = await makeTask(one, { name });
  for (const [from, until] of rests)
    await one.pool.query(
      `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by, run_id) VALUES ($1, $2, $3, 'x', 'run:x', $4)`,
      [taskId, ago(from), ago(until), newRunId(ago(from))],
    );
  await one.pool.query('UPDATE task_plan SET next_run_at = now() WHERE task_id = $1', [taskId]);
  return taskId;
}

async function restsOf(taskId: string): Promise<Rest[]> {
  const { rows } = await one.pool.query<Rest>(
    `SELECT id, from_at AS from, until_at AS until FROM task_pause WHERE task_id = $1 ORDER BY until_at`,
    [taskId],
  );
  return rows;
}

const rest = (taskId: string, until: Date | null) =>
  one.pool.query('SELECT rest_until($1, $2, $3)', [taskId, newRunId(ago(0)), until]);

const NEXT = ago(-60 * MINUTE);

it('the row of the last rest that is over is used again', async () => {
  const taskId = await rested('again', [
    [50 * MINUTE, 40 * MINUTE],
    [30 * MINUTE, 20 * MINUTE],
  ]);
  const [older, last] = await restsOf(taskId);
  await rest(taskId, NEXT);
  const [first, second, ...others] = await restsOf(taskId);
  expect([first, others]).toEqual([older, []]);
  expect(second).toMatchObject({ id: last?.id, until: new Date(NEXT.getTime() + 1) });
});

it('a rest that the planner has not gone past, or in which a row of the ledger lies, keeps its row', async () => {
  const ahead = await rested('not-past', [[30 * MINUTE, 20 * MINUTE]]);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() - interval '25 min' WHERE task_id = $1`, [ahead]);
  const within = await rested('row-within', [[30 * MINUTE, 20 * MINUTE]]);
  await queueRuns(one, [{ taskId: within, key: 'row-within', ageMs: 25 * MINUTE }]);
  await one.pool.query('UPDATE task_plan SET next_run_at = now() WHERE task_id = $1', [within]);
  for (const taskId of [ahead, within]) {
    const before = await restsOf(taskId);
    await rest(taskId, NEXT);
    expect(await restsOf(taskId)).toMatchObject([...before, { until: new Date(NEXT.getTime() + 1) }]);
  }
});

it('a rest that goes on, and a pause of a person, keep their rows; a rest without end has none', async () => {
  const taskId = await rested('goes-on', [[30 * MINUTE, -20 * MINUTE]]);
  await one.pool.query(`INSERT INTO task_pause (task_id, from_at, until_at, created_by) VALUES ($1, $2, $3, 'ann')`, [
    taskId,
    ago(30 * MINUTE),
    ago(20 * MINUTE),
  ]);
  const before = await restsOf(taskId);
  await rest(taskId, null);
  expect(await restsOf(taskId)).toMatchObject([...before, { until: null }]);
});

/** Whether the row of a rest, 30 to 20 minutes ago, is used again where `change` has been done to its task before. */
async function isUsedAgain(name: string, change: string): Promise<boolean> {
  const taskId = await rested(name, [[30 * MINUTE, 20 * MINUTE]]);
  await one.pool.query(change, [taskId]);
  const [row] = await restsOf(taskId);
  await rest(taskId, NEXT);
  const after = await restsOf(taskId);
  expect(after.at(-1)).toMatchObject({ until: new Date(NEXT.getTime() + 1) });
  return after.length === 1 && after[0]?.id === row?.id;
}

const PLANNED = 'UPDATE task_plan plan SET next_run_at';
const REST_OF = 'FROM task_pause p WHERE p.task_id = $1 AND plan.task_id = $1';

it.each([
  ['has no further date', `${PLANNED} = NULL WHERE task_id = $1`, true],
  ['has come to the end of the rest', `${PLANNED} = p.until_at ${REST_OF}`, true],
  ['is just before it', `${PLANNED} = p.until_at - interval '1 ms' ${REST_OF}`, false],
])('where the planner %s, whether the row is used again', async (where, change, again) => {
  expect(await isUsedAgain(where.replaceAll(' ', '-'), change)).toBe(again);
});

it('a rest that goes on keeps its row, although the planner has gone past it', async () => {
  const change = `WITH moved AS (${PLANNED} = now() + interval '1 d' WHERE task_id = $1)
    UPDATE task_pause SET until_at = now() + interval '10 min' WHERE task_id = $1`;
  expect(await isUsedAgain('goes-on-past', change)).toBe(false);
});

it('the last rest of another task is not used', async () => {
  const other = await rested('of-another', [[30 * MINUTE, 10 * MINUTE]]);
  const before = await restsOf(other);
  expect(await isUsedAgain('beside-another', 'SELECT $1::uuid')).toBe(true);
  expect(await restsOf(other)).toEqual(before);
});

it.each([
  ['at its beginning', 'p.from_at', false],
  ['at its end', 'p.until_at', true],
  ['just before its beginning', `p.from_at - interval '1 ms'`, true],
  ['just before its end', `p.until_at - interval '1 ms'`, false],
])('a row of the ledger %s decides whether the row of the rest is used again', async (where, at, again) => {
  const name = `row-${where.replaceAll(' ', '-')}`;
  expect(await isUsedAgain(name, ledgerRow(at, 'schedule'))).toBe(again);
  expect(await isUsedAgain(`${name}-caught-up`, ledgerRow(at, 'catch_up'))).toBe(again);
});

it('a row within the rest that is none of the schedule, or of another task, is in no way of it', async () => {
  const within = `p.from_at + interval '1 min'`;
  expect(await isUsedAgain('triggered', ledgerRow(within, 'trigger'))).toBe(true);
  const other = await makeTask(one, { name: 'has-a-row' });
  expect(await isUsedAgain('has-none', ledgerRow(within, 'schedule', `'${other}'`))).toBe(true);
});

/** Puts a row into the ledger, at an instant of the rest `p`. */
function ledgerRow(at: string, origin: string, task = 'p.task_id'): string {
  return `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at)
    SELECT gen_random_uuid(), ${at}, 'default', ${task}, 1, 1, '${origin}', 'planned', 'k', 1, 'skip', 'default', ${at}
    FROM task_pause p WHERE p.task_id = $1`;
}

it('the note says until when, or that there is no further run, and which run asked for it', async () => {
  const noteOf = async (taskId: string) => {
    const { rows } = await one.pool.query(
      `SELECT note, created_by, 'run ' || run_id AS run FROM task_pause WHERE task_id = $1 ORDER BY until_at DESC NULLS FIRST`,
      [taskId],
    );
    return rows[0];
  };
  const taskId = await rested('noted', []);
  await rest(taskId, NEXT);
  const { note, created_by: by, run } = await noteOf(taskId);
  expect(note).toBe(`${run} asked for its next run at ${NEXT.toISOString()}`);
  expect(by).toBe(run.replace(' ', ':'));
  await rest(taskId, null);
  const last = await noteOf(taskId);
  expect(last.note).toBe(`${last.run} asked for no further run`);
});
