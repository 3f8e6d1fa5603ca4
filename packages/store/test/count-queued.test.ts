import { afterAll, beforeEach, expect, it } from 'vitest';
import { countQueued, knownQueues, writeHeartbeat } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const RUNNING = `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`;
const WORKER = { id: 'w', role: 'worker', host: 'h', pid: 1, appVersion: '0' } as const;

beforeEach(async () => {
  for (const table of ['process', 'run']) await one.pool.query(`DELETE FROM ${table}`);
});

async function queued(name: string, pool: string, minutes: readonly number[]): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name, pool });
  return await queueRuns(
    one,
    minutes.map((age) => ({ taskId, key: name, ageMs: age * MINUTE })),
  );
}

const set = (run: QueuedFixture | undefined, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run?.runId]);

const loadOf = async (pool: string, db = one) => (await countQueued(db)).filter(({ queue }) => queue.startsWith(pool));

it('counts what is queued and what is at work, by queue', async () => {
  const [first, second] = await queued('counted', 'counted', [9, 8, 7, 6]);
  await set(first, RUNNING);
  await set(second, 'need = NULL');
  expect(await loadOf('counted')).toEqual([
    { queue: 'counted', queued: 1, running: 0 },
    { queue: 'counted+shell', queued: 2, running: 1 },
  ]);
  expect(await loadOf('counted', other)).toEqual([]);
});

it.each([
  ['planned', `state = 'planned'`],
  ['waiting', `state = 'waiting', waiting_since = now()`],
  ['retried', `state = 'retrying', attempt = 1`],
  ['over', `state = 'succeeded', finished_at = now()`],
])('counts none that is %s, and names its queue all the same', async (why, columns) => {
  const [run] = await queued(why, why, [5]);
  await set(run, columns);
  expect(await loadOf(why)).toEqual([{ queue: `${why}+shell`, queued: 0, running: 0 }]);
});

it('counts from the oldest run that is open, that one too', async () => {
  const [, newer] = await queued('open', 'open', [9, 7]);
  const runs = newer?.scheduledFor.toISOString() ?? '';
  const later = { ...one, openFrom: { ...one.openFrom, runs } };
  expect(await loadOf('open', later)).toMatchObject([{ queued: 1 }]);
  expect(await loadOf('open')).toMatchObject([{ queued: 2 }]);
});

it('knows the queues that a worker serves, of its own namespace, each once', async () => {
  await writeHeartbeat(one, { ...WORKER, pools: ['served'], offers: ['shell'] }, { activeRuns: [], clockOffsetMs: 0 });
  await queued('served', 'served', []);
  const known = async (db = one) => (await knownQueues(db)).filter((queue) => queue.startsWith('served')).sort();
  expect(await known()).toEqual(['served', 'served+shell']);
  expect(await known(other)).toEqual([]);
  expect(await loadOf('served')).toEqual([
    { queue: 'served', queued: 0, running: 0 },
    { queue: 'served+shell', queued: 0, running: 0 },
  ]);
});
