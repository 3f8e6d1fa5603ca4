import { expect, test } from 'vitest';
import type { PoolView } from '../pools.ts';
import type { WaitsForWorker } from '../unserved.ts';
import { judgeUnserved } from './judge-pools.ts';

const now = new Date('2026-11-26T12:00:00Z');
const pool: PoolView = {
  name: 'reports',
  pause: null,
  expectedWorkers: 0,
  workers: [],
  priorities: true,
  rate: null,
  tasks: 1,
  waiting: 0,
  running: 0,
  oldestDueAt: null,
  queues: [],
  createdAt: null,
  updatedAt: null,
};
const unserved: WaitsForWorker = {
  pool: 'reports',
  need: null,
  app: null,
  workers: [],
  drained: [],
  others: [],
  tasks: 1,
  examples: ['monthly'],
  code: 'unserved',
  reason: 'no worker of the pool "reports" is alive',
  advice: 'start one',
};
const judged = (more: Partial<PoolView>) =>
  judgeUnserved([unserved], { pools: [{ ...pool, ...more }], now }).map(({ detail }) => detail);
const TOLD = ['no worker of the pool "reports" is alive: 1 task waits (monthly)'];

test('a pool without a worker is a problem, unless somebody said that it need have none', () => {
  expect(judged({ expectedWorkers: null })).toEqual(TOLD);
  expect(judged({ expectedWorkers: 2 })).toEqual(TOLD);
  expect(judged({})).toEqual([]);
});

test('that it need have none says nothing of runs that have been due for over a minute, nor of what its workers lack', () => {
  expect(judged({ oldestDueAt: new Date(now.getTime() - 60_000) })).toEqual([]);
  expect(judged({ oldestDueAt: new Date(now.getTime() - 60_001) })).toEqual(TOLD);
  expect(judged({ workers: ['w1'] })).toEqual(TOLD);
});
