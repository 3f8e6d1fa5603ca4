import { afterAll, expect, it } from 'vitest';
import { recentRuns } from '../src/index.ts';
import { MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

it('the latest runs of each task, the last first, without those that are still to come or were planned anew', async () => {
  const [often, never] = [await makeTask(one, { name: 'often' }), await makeTask(one, { name: 'never' })];
  const ages = [40, 30, 20, 10, -10];
  const runs = await queueRuns(
    one,
    ages.map((minutes) => ({ taskId: often, key: 'often', ageMs: minutes * MINUTE })),
  );
  const [, , older, anew] = runs;
  const change = (set: string, id: string | undefined) => one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [id]);
  await change(`state = 'superseded', reason = 'edited', finished_at = now()`, anew?.runId);
  await change(
    `state = 'failed', reason = 'exit 1', started_at = due_at, finished_at = due_at + interval '5 s'`,
    older?.runId,
  );
  const recent = await recentRuns(one, [often, never], 2);
  expect([...recent.keys()]).toEqual([often]);
  expect(recent.get(often)).toMatchObject({
    runs: [
      { id: older?.runId, state: 'failed', durationMs: 5000 },
      { id: runs[1]?.runId, state: 'queued', durationMs: null },
    ],
    last: { id: older?.runId, state: 'failed', scheduledFor: older?.scheduledFor, reason: 'exit 1' },
  });
});
