import { afterAll, expect, it } from 'vitest';
import { beginRuns } from '../src/index.ts';
import { beginRequest, MINUTE, makeTask, type QueuedFixture, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

async function queued(name: string, ageMs: number, options?: { byRepeat: boolean }): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs }], options);
  if (!run) throw new Error('no fixture');
  return run;
}

/** An edit of the task that counts from that instant on. */
async function edited(name: string, effectiveAt: Date): Promise<void> {
  await one.pool.query('UPDATE task SET plan_epoch = plan_epoch + 1, effective_at = $2 WHERE name = $1', [
    name,
    effectiveAt,
  ]);
}

it('an occurrence of the very instant from which an edit counts is superseded; one a millisecond before begins', async () => {
  const at = await queued('at-the-edit', 2 * MINUTE);
  const before = await queued('before-the-edit', 2 * MINUTE);
  await edited('at-the-edit', at.scheduledFor);
  await edited('before-the-edit', new Date(before.scheduledFor.getTime() + 1));
  const results = await beginRuns(one, [beginRequest(at), beginRequest(before)]);
  expect(results).toMatchObject([{ kind: 'ended', state: 'superseded' }, { kind: 'begun' }]);
});

it('a job begins a row that was not marked as queued only if it is the next one: neither the last nor one two ahead', async () => {
  const run = await queued('unmarked', MINUTE, { byRepeat: true });
  expect(await stateOf(one, run.runId)).toBe('planned');
  const asked = [0, 2].map((dispatch) => beginRequest({ ...run, dispatch }));
  for (const request of asked) expect(await beginRuns(one, [request])).toEqual([{ kind: 'stale' }]);
  expect(await beginRuns(one, [beginRequest(run)])).toMatchObject([{ kind: 'begun' }]);
});
