import { lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { markQueued } from '../src/index.ts';
import { MINUTE, makeTask, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

it('does not wait for a row that somebody is beginning, and marks the others', async () => {
  const taskId = await makeTask(one, { name: 'beginning' });
  const ages = [2 * MINUTE, MINUTE].map((ageMs) => ({ taskId, key: 'beginning', ageMs }));
  const runs = await queueRuns(one, ages, { byRepeat: true });
  const held = await lockRows(one.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [runs[0]?.runId]);
  const marked = markQueued(
    one,
    runs.map(({ runId, ...run }) => ({ ...run, id: runId })),
  );
  expect(await Promise.race([marked.then(() => 'marked'), held.awaited().then(() => 'waits')])).toBe('marked');
  await held.release();
  expect(await Promise.all(runs.map(({ runId }) => stateOf(one, runId)))).toEqual(['planned', 'queued']);
});
