import { afterAll, beforeEach, expect, it } from 'vitest';
import { ago, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

// The function wait_queue_ahead.
const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const taskId = await makeTask(one, { name: 'a' });
beforeEach(() => one.pool.query('DELETE FROM run'));

interface Made {
  id: string;
  at: Date;
}

const ID = '01000000-0000-7000-8000-00000000000';
const AT = ago(30 * MINUTE);

/** A queued run of the key that was scheduled so many minutes after an instant. The last digit of its id is `digit`. */
async function aRun(minute: number, digit: number, set = `overlap = 'wait-all'`): Promise<Made> {
  const at = new Date(AT.getTime() + minute * MINUTE);
  const [run] = await queueRuns(one, [{ taskId, key: 'k', ageMs: (digit + 1) * MINUTE }]);
  await one.pool.query(
    `UPDATE run SET id = $2, scheduled_for = $3, due_at = $3, origin = 'trigger', overlap = 'wait-all' WHERE id = $1`,
    [run?.runId, `${ID}${digit}`, at],
  );
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [`${ID}${digit}`]);
  return { id: `${ID}${digit}`, at };
}

/** The run that goes before a run, by its overlap policy. */
async function ahead({ id, at }: Made, overlap = 'wait-all', together: readonly string[] | null = null) {
  const { rows } = await one.pool.query<{ id: string | null }>(
    'SELECT wait_queue_ahead($1, $2, $3, $4, $5, $6) AS id',
    ['default', 'k', overlap, at, id, together],
  );
  return rows[0]?.id;
}

it('where the oldest goes first the oldest is ahead, and nothing is of what comes later', async () => {
  const [third, first, second] = [await aRun(9, 3), await aRun(3, 1), await aRun(6, 2)];
  expect([await ahead(first), await ahead(second), await ahead(third)]).toEqual([null, first.id, first.id]);
});

it('of one instant the one with the smaller id is ahead where the oldest goes first', async () => {
  const [first, second, third] = [await aRun(3, 4), await aRun(3, 5), await aRun(3, 6)];
  expect([await ahead(first), await ahead(second), await ahead(third)]).toEqual([null, first.id, first.id]);
});

const NEWEST = `overlap = 'replace'`;

it('where the newest goes first the newest is ahead, and nothing is of what comes earlier', async () => {
  const [third, first, second] = [await aRun(9, 3, NEWEST), await aRun(3, 1, NEWEST), await aRun(6, 2, NEWEST)];
  const found = [await ahead(first, 'replace'), await ahead(second, 'replace'), await ahead(third, 'replace')];
  expect(found).toEqual([third.id, third.id, null]);
});

it('of one instant the one with the greater id is ahead where the newest goes first', async () => {
  const [first, second, third] = [await aRun(3, 4, NEWEST), await aRun(3, 5, NEWEST), await aRun(3, 6, NEWEST)];
  const found = [await ahead(first, 'replace'), await ahead(second, 'replace'), await ahead(third, 'replace')];
  expect(found).toEqual([third.id, third.id, null]);
});

it.each([
  ['is of another namespace', `namespace = 'other'`],
  ['is of another key', `key = 'another'`],
  ['has ended', `state = 'failed', reason = 'no', finished_at = now()`],
  ['is not due', `due_at = now() + interval '1 h'`],
])('a run that %s is ahead of none', async (_, set) => {
  const [, run] = [await aRun(3, 1, set), await aRun(6, 2), await aRun(9, 3, `${NEWEST}, ${set}`)];
  expect(await ahead(run)).toBeNull();
  expect(await ahead({ ...run, id: `${ID}8` }, 'replace')).toBeNull();
});

it('runs of another order are ahead of none', async () => {
  const [, run] = [await aRun(3, 1, NEWEST), await aRun(6, 2), await aRun(9, 3)];
  expect(await ahead(run)).toBeNull();
  expect(await ahead({ ...run, id: `${ID}8` }, 'replace')).toBeNull();
});

it('a run that may overlap has none ahead of it', async () => {
  const [, run] = [await aRun(3, 1), await aRun(6, 2), await aRun(9, 3, NEWEST)];
  expect(await ahead(run, 'allow')).toBeNull();
});

it('those that are about to begin together are not in the way of each other', async () => {
  const [first, second, third] = [await aRun(3, 1), await aRun(6, 2), await aRun(9, 3)];
  expect(await ahead(third, 'wait-all', [])).toBe(first.id);
  expect(await ahead(third, 'wait-all', [first.id, third.id])).toBe(second.id);
  expect(await ahead(third, 'wait-all', [first.id, second.id])).toBeNull();
});
