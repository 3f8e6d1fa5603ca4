import { availableParallelism } from 'node:os';
import { DEFAULT_MEMORY_LIMIT_MB, systemClock } from '@escapement/core';
import { afterEach, expect, test } from 'vitest';
import { ProcessPool } from '../src/code/process/pool.ts';

let pool = newPool();
afterEach(async () => {
  await pool.stop();
  pool = newPool();
});

function newPool(): ProcessPool {
  return new ProcessPool({ execArgv: [], env: { PATH: process.env.PATH ?? '' }, clock: systemClock });
}

const wanted = { file: '/tasks/any.ts', memoryLimitMb: DEFAULT_MEMORY_LIMIT_MB };

test('as many processes start at once as there are processors, and the others are started after them', async () => {
  const takes = Array.from({ length: 2 * availableParallelism() + 1 }, () => pool.take(wanted));
  expect(pool.size).toBe(availableParallelism());
  const processes = await Promise.all(takes);
  await Promise.all(processes.map((process) => process?.ready));
  expect(new Set(processes).size).toBe(takes.length);
  expect(processes.every((process) => process && !process.hasEnded)).toBe(true);
});

test('who waits for a start takes the process that is given back first', async () => {
  const first = await pool.take(wanted);
  await first?.ready;
  const starting = Array.from({ length: availableParallelism() }, () => pool.take(wanted));
  const waiting = pool.take(wanted);
  if (first) pool.giveBack(first, true);
  expect(await waiting).toBe(first);
  await Promise.all(starting);
});

test('a run that is stopped waits for no process, nor does one at the end of its worker', async () => {
  const controller = new AbortController();
  Array.from({ length: availableParallelism() }, () => pool.take(wanted));
  const [stopped, left] = [pool.take(wanted, controller.signal), pool.take(wanted)];
  controller.abort();
  expect(await stopped).toBeUndefined();
  await pool.stop();
  expect(await left).toBeUndefined();
  expect(await pool.take(wanted)).toBeUndefined();
});
