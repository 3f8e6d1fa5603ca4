import { afterAll, expect, it } from 'vitest';
import { readPasses } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const AT = new Date('2026-01-30T03:00:00Z');

const took = (namespace: string, name: string) =>
  one.pool.query('INSERT INTO cluster_lock (namespace, name, taken_at) VALUES ($1, $2, $3)', [namespace, name, AT]);

it('tells of each lane of the reconciler when a pass last began, in the order of their names', async () => {
  for (const name of ['slow reconciler', 'reconciler', 'planner', 'reconciler of others'])
    await took(one.namespace, name);
  await took('other', 'other reconciler');
  expect([...(await readPasses(one))]).toEqual([
    ['reconciler', AT],
    ['slow reconciler', AT],
  ]);
});
