import { randomUUID } from 'node:crypto';
import { newRunId, OPEN_STATES, RUN_STATES, type RunState } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { haveFinished } from '../src/index.ts';
import { ago, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

/** The id of a run in this state. */
async function runIn(state: RunState, name: string = state): Promise<string> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  await one.pool.query(
    `UPDATE run SET state = $2, attempt = 1, worker = 'w', started_at = now(), fence = 1, waiting_since = now(), reason = 'why',
       finished_at = CASE WHEN NOT $3 THEN now() END WHERE id = $1`,
    [run.runId, state, OPEN_STATES.includes(state)],
  );
  return run.runId;
}

it.each(RUN_STATES.map((state) => [state, !OPEN_STATES.includes(state)] as const))(
  'of a holder that is %s: ended is %s',
  async (state, ended) => {
    expect(await haveFinished(one, [await runIn(state)])).toEqual([ended]);
  },
);

it('what is no run, not there or of another namespace protects nothing', async () => {
  const running = await runIn('running', 'elsewhere');
  expect(await haveFinished(one, ['a word', randomUUID(), '', newRunId(ago(MINUTE)), running])).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(await haveFinished({ ...one, namespace: 'other' }, [running])).toEqual([true]);
});

it('answers in the order of the holders, once for each, and for none with nothing', async () => {
  const [over, open, later] = [await runIn('failed', 'a'), await runIn('running', 'b'), await runIn('succeeded', 'c')];
  expect(await haveFinished(one, [later, 'no id', open, over, open, later])).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
  ]);
  expect(await haveFinished(one, [])).toEqual([]);
});
