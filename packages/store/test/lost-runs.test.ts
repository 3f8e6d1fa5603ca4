import { afterAll, expect, it } from 'vitest';
import { lostRuns, writeHeartbeat } from '../src/index.ts';
import { begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const WORKER = {
  id: 'worker-1',
  role: 'worker',
  host: 'test',
  pid: 1,
  appVersion: '0',
  pools: ['default'],
  offers: ['shell'],
} as const;

/** A heartbeat that was gathered before the run began lists nothing. */
const emptyHeartbeat = () => writeHeartbeat(one, WORKER, { activeRuns: [], clockOffsetMs: 0 });

async function lost(): Promise<string[]> {
  const runs = await lostRuns(one, { silentMs: MINUTE, limit: 10 });
  return runs.filter(({ forsaken }) => forsaken).map(({ runId }) => runId);
}

it('a run that began between two heartbeats is lost only when a third one leaves it out too', async () => {
  const taskId = await makeTask(one, { name: 'between' });
  await emptyHeartbeat();
  const runs = await queueRuns(one, [{ taskId, key: 'between', ageMs: MINUTE }]);
  await begun(one, runs);
  await emptyHeartbeat();
  // As if it had been a while after the begin: both count in whole milliseconds.
  await one.pool.query(`UPDATE process SET heartbeat_at = heartbeat_at + interval '1 s'`);
  expect(await lost()).toEqual([]);
  await emptyHeartbeat();
  expect(await lost()).toEqual(runs.map(({ runId }) => runId));
});
