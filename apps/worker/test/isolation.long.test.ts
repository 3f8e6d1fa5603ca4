import { stopwatch } from '@escapement/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FinishedRun, startFleet } from './fleet.ts';

const fleet = await startFleet();

interface Beside {
  bad: FinishedRun;
  log: string;
  good: FinishedRun[];
  /** How many times as long as on a machine of their own things took meanwhile. */
  slowdown: number;
}

/** One bad run among ten good ones in the same worker. */
async function beside(good: string, bad: string, way: string): Promise<Beside> {
  const slowdown = await slowdownFromNow();
  const first = await Promise.all(Array.from({ length: 5 }, () => fleet.trigger(good)));
  const id = await fleet.trigger(bad, way);
  const last = await Promise.all(Array.from({ length: 5 }, () => fleet.trigger(good)));
  const goodRuns = await fleet.ended([...first, ...last]);
  const found = await slowdown();
  const [badRun] = await fleet.ended([id]);
  if (!badRun) throw new Error('the bad run is gone');
  return { bad: badRun, log: await fleet.log(id), good: goodRuns, slowdown: found };
}

async function slowdownFromNow(): Promise<() => Promise<number>> {
  const [startedMs, fairMs] = [performance.now(), await stopwatch()];
  return async () => (performance.now() - startedMs) / (await fairMs());
}

function slowest(runs: readonly FinishedRun[]): number {
  return Math.max(...runs.map((run) => run.tookMs));
}

/** How long the slowest of ten good runs takes with nothing bad beside them, in fair milliseconds. */
async function runAlone(): Promise<number> {
  const slowdown = await slowdownFromNow();
  const ids = await Promise.all(Array.from({ length: 10 }, () => fleet.trigger('good')));
  const slowestMs = slowest(await fleet.ended(ids));
  return slowestMs / (await slowdown());
}

/** All succeeded, and took at most twice as long as without the bad one, and a second, of the machine as it was then. */
function expectUndisturbed({ good, slowdown }: Beside, aloneMs: number): void {
  expect(good.map(({ state }) => state)).toEqual(good.map(() => 'succeeded'));
  expect(slowest(good)).toBeLessThan((2 * aloneMs + 1000) * slowdown);
}

describe('in a process of its own a handler that', () => {
  let aloneMs: number;
  beforeAll(async () => {
    // The first time, the processes have to start.
    await runAlone();
    aloneMs = await runAlone();
  });

  test.each<[string, string, RegExp]>([
    ['blocks for ever', 'timed_out', /^ran longer than its time limit of 8 s; its event loop was blocked for \d/],
    ['eats memory', 'failed', /^allocated more than its memory limit of 64 MB/],
    ['throws outside its promise', 'failed', /^thrown outside its promise: no such invoice/],
    ['leaves a rejection alone', 'failed', /^rejected in a promise that nobody waited for: no such invoice/],
    ['calls process.exit', 'failed', /^called process.exit\(5\)/],
    ['is killed', 'failed', /^its process ended by SIGSEGV/],
  ])('%s ends as %s, and says so; ten others are undisturbed', async (way, state, reason) => {
    // The others have time for what they do, whatever the machine does.
    const found = await beside('good', way === 'blocks for ever' ? 'endless' : 'bad', way);
    expectUndisturbed(found, aloneMs);
    expect(found.bad).toMatchObject({ state, reason: expect.stringMatching(reason) });
  });

  test('writes 100 MB of log has its log capped; ten others are undisturbed', async () => {
    const found = await beside('good', 'bad', 'writes 100 MB of log');
    const { bad, log } = found;
    expectUndisturbed(found, aloneMs);
    expect(bad.state).toBe('succeeded');
    expect(log.length).toBeLessThan(10.2 * 1024 * 1024);
    expect(/characters left out here/.test(log)).toBe(true);
  });
});

describe('inline a handler that', () => {
  test.each<[string, RegExp]>([
    ['throws outside its promise', /^thrown outside its promise: no such invoice/],
    ['leaves a rejection alone', /^rejected in a promise that nobody waited for: no such invoice/],
    ['calls process.exit', /^called process.exit\(5\)/],
    ['calls process.exit later', /^called process.exit\(5\)/],
  ])('%s fails alone; ten others and the worker go on', async (way, reason) => {
    const { bad, good } = await beside('good-inline', 'bad-inline', way);
    expect(good.map(({ state }) => state)).toEqual(good.map(() => 'succeeded'));
    expect(bad).toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) });
  });

  test('writes 100 MB of log has its log capped; ten others and the worker go on', async () => {
    const { bad, log, good } = await beside('good-inline', 'bad-inline', 'writes 100 MB of log');
    expect([bad, ...good].map(({ state }) => state)).toEqual(Array(11).fill('succeeded'));
    expect(log.length).toBeLessThan(10.2 * 1024 * 1024);
  });

  test('blocks the event loop is named by the worker', async () => {
    const { bad } = await beside('good-inline', 'bad-inline', 'blocks for 3 s');
    await fleet.worker.waitForLine(new RegExp(`(?=.*this worker's event loop was blocked)(?=.*${bad.id})`));
  });
});
