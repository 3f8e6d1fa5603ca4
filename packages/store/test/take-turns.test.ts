import { afterAll, expect, it } from 'vitest';
import { takeTurns } from '../src/index.ts';
import { ago, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

/** A run of a task of its own, with what is said of it; whether it waits its turn once its task is caught up. */
async function takesTurn(name: string, columns: string, until = ago(0)): Promise<boolean> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  await one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run?.runId]);
  await takeTurns(one, [{ taskId, until }]);
  const { rows } = await one.pool.query<{ overlap: string }>('SELECT overlap FROM run WHERE id = $1', [run?.runId]);
  return rows[0]?.overlap === 'wait-all';
}

it.each([
  ['is queued', 'attempt = 0', true],
  ['waits for its repeat', `state = 'planned'`, true],
  ['is to be replaced', `overlap = 'replace'`, true],
  ['may overlap', `overlap = 'allow'`, false],
  ['was triggered', `origin = 'trigger'`, false],
  ['has begun', 'attempt = 1', false],
  ['waits for its key', `state = 'waiting', waiting_since = now()`, false],
  ['has ended', `state = 'missed', reason = 'why', finished_at = now()`, false],
])('a run that %s takes its turn behind what is caught up, or not', async (why, columns, expected) => {
  expect(await takesTurn(why.replaceAll(' ', '-'), columns)).toBe(expected);
});

it('one that is later than asked for does not', async () => {
  expect(await takesTurn('later', 'attempt = 0', ago(2 * MINUTE))).toBe(false);
});
