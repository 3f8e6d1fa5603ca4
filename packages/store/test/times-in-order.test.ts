import { lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { beginRuns, finishRuns, waitRun } from '../src/index.ts';
import {
  beginRequest,
  begun,
  finishRequest,
  MINUTE,
  makeTask,
  type QueuedFixture,
  queueRuns,
  twoProcesses,
} from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
afterAll(() => processes.close());

/** Two due runs of a key, the older first. */
async function pair(name: string, limit = 1): Promise<[QueuedFixture, QueuedFixture]> {
  const taskId = await makeTask(one, { name, limit });
  const ages = [2 * MINUTE, MINUTE].map((ageMs) => ({ taskId, key: name, ageMs }));
  const [first, second] = await queueRuns(one, ages);
  if (!first || !second) throw new Error('no fixture');
  return [first, second];
}

const holdRun = ({ runId }: QueuedFixture) => lockRows(one.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [runId]);

async function times({ runId }: QueuedFixture): Promise<{ started: number; finished: number }> {
  const { rows } = await one.pool.query<{ started_at: Date | null; finished_at: Date | null }>(
    'SELECT started_at, finished_at FROM run WHERE id = $1',
    [runId],
  );
  const [row] = rows;
  return { started: row?.started_at?.getTime() ?? Number.NaN, finished: row?.finished_at?.getTime() ?? Number.NaN };
}

it('a run starts no earlier than the one before it has ended, though its begin was sent before that', async () => {
  const [first, second] = await pair('after-the-end');
  const [running] = await begun(one, [first]);
  if (!running) throw new Error('no fixture');
  const held = await holdRun(second);
  const beginning = beginRuns(two, [beginRequest(second)]);
  await held.awaited();
  await finishRuns(one, [finishRequest(running)]);
  await held.release();
  expect(await beginning).toMatchObject([{ kind: 'begun' }]);
  expect((await times(second)).started).toBeGreaterThanOrEqual((await times(first)).finished);
});

it('runs that begin one after the other on the slots of a key start in that order', async () => {
  const [first, second] = await pair('two-slots', 2);
  const held = await holdRun(second);
  const beginning = beginRuns(two, [{ ...beginRequest(second), slot: 2 }]);
  await held.awaited();
  await begun(one, [first]);
  await held.release();
  expect(await beginning).toMatchObject([{ kind: 'begun' }]);
  expect((await times(second)).started).toBeGreaterThanOrEqual((await times(first)).started);
});

it('a run is skipped no earlier than the one in its way has started', async () => {
  const [first, second] = await pair('skipped-after');
  // A key's first begin makes the row; here it is there to be waited for.
  await one.pool.query(`INSERT INTO key_slot (namespace, key, slot, fence) VALUES ('default', 'skipped-after', 1, 0)`);
  const held = await lockRows(one.url, `SELECT FROM key_slot WHERE key = 'skipped-after' FOR UPDATE`);
  const beginning = beginRuns(two, [beginRequest(first)]);
  await held.awaited();
  const seen = { state: 'queued', dispatch: 1, attempt: 0 } as const;
  const skipping = waitRun(one, { ...second, seen, maxWaiting: 0 });
  await held.awaited(2);
  await held.release();
  expect(await beginning).toMatchObject([{ kind: 'begun' }]);
  expect(await skipping).toMatchObject({ kind: 'skipped', holder: first.runId });
  expect((await times(second)).finished).toBeGreaterThanOrEqual((await times(first)).started);
});

it('a run ends no earlier than its finish could be written', async () => {
  const [first] = await pair('finish-waits');
  const [running] = await begun(one, [first]);
  if (!running) throw new Error('no fixture');
  const held = await holdRun(first);
  const settling = finishRuns(two, [finishRequest(running)]);
  await held.awaited();
  const { rows } = await one.pool.query<{ now: Date }>('SELECT clock_timestamp()::timestamptz(3) AS now');
  await held.release();
  expect(await settling).toEqual(['applied']);
  expect((await times(first)).finished).toBeGreaterThanOrEqual(rows[0]?.now.getTime() ?? Number.NaN);
});
