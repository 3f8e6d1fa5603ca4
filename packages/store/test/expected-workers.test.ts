import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { expectedWorkers } from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const ofShell = await makeTask(db, { name: 'of-shell', pool: 'gpu' });
const ofHttp = await makeTask(db, { name: 'of-http', pool: 'gpu', handler: { type: 'http', url: 'http://localhost' } });

interface Row {
  name?: string | null;
  namespace?: string;
  role?: string;
  pools?: readonly string[];
  offers?: readonly string[];
  isNamed?: boolean;
  /** Hours ago. */
  started?: number;
  heard?: number;
  stopped?: number | null;
}

/** A worker of the pool that takes shell tasks, with a name of its own, heard this moment; and what is another with it. */
async function process(row: Row): Promise<void> {
  const { name = 'w', namespace = db.namespace, role = 'worker', pools = ['gpu', 'cpu'], offers = ['shell'] } = row;
  const { isNamed = true, heard = 0, started = heard, stopped = null } = row;
  await db.pool.query(
    `INSERT INTO process (id, namespace, role, host, pid, app_version, pools, offers, name, is_named, started_at, heartbeat_at, stopped_at)
     VALUES ($1, $2, $3, 'h', 1, '0', $4, $5, $6, $7, now() - $8 * interval '1 h', now() - $9 * interval '1 h', now() - $10 * interval '1 h')`,
    [...[randomUUID(), namespace, role, pools, offers, name], ...[isNamed, started, heard, stopped]],
  );
}

beforeEach(async () => {
  await db.pool.query('DELETE FROM process');
});

it('without a worker none is expected', async () => {
  expect(await expectedWorkers(db, { id: ofShell })).toEqual([]);
});

it('each worker of the pool is expected, by its name and once', async () => {
  for (const name of ['c', 'a', 'b', 'a']) await process({ name });
  expect(await expectedWorkers(db, { id: ofShell })).toEqual(['a', 'b', 'c']);
});

it.each<[string, Row]>([
  ['of another namespace', { namespace: 'other' }],
  ['that is a scheduler', { role: 'scheduler' }],
  ['of another pool', { pools: ['cpu'] }],
  ['that does not offer what the task needs', { offers: ['code'] }],
  ['that has no name', { name: null }],
  ['with a name of its own that was heard more than a day ago', { heard: 25 }],
  ['without a name of its own that was heard more than an hour ago', { isNamed: false, heard: 2 }],
  ['without a name of its own that shut down', { isNamed: false, stopped: 0 }],
])('a process %s is not expected', async (_, row) => {
  await process({ name: 'away', ...row });
  await process({ name: 'there' });
  expect(await expectedWorkers(db, { id: ofShell })).toEqual(['there']);
});

it.each<[string, Row]>([
  ['with a name of its own, for a day after it was heard last', { heard: 23 }],
  ['with a name of its own, although it shut down', { heard: 2, stopped: 2 }],
  ['without a name of its own, for an hour after it was heard last', { isNamed: false, heard: 0.5 }],
])('a worker is expected %s', async (_, row) => {
  await process(row);
  expect(await expectedWorkers(db, { id: ofShell })).toEqual(['w']);
});

it('of a task that needs nothing, workers are expected whatever they offer', async () => {
  await process({ name: 'bare', offers: [] });
  await process({ name: 'shell' });
  expect(await expectedWorkers(db, { id: ofHttp })).toEqual(['bare', 'shell']);
  expect(await expectedWorkers(db, { id: ofShell })).toEqual(['shell']);
});

it('a worker that was started again counts as it is now', async () => {
  await process({ heard: 1, started: 3 });
  expect(await expectedWorkers(db, { id: ofShell })).toEqual(['w']);
  await process({ pools: ['cpu'] });
  expect(await expectedWorkers(db, { id: ofShell })).toEqual([]);
});

it.each<[string, Row]>([
  ['in another namespace', { namespace: 'other' }],
  ['that is a scheduler', { role: 'scheduler' }],
  ['of another name', { name: 'v' }],
  ['while it still ran', { started: 2 }],
])('what was started %s does not stand for a worker', async (_, row) => {
  await process({ heard: 1, started: 3 });
  await process({ pools: ['cpu'], ...row });
  expect(await expectedWorkers(db, { id: ofShell })).toEqual(['w']);
});
