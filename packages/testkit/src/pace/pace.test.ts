import { expect, test } from 'vitest';
import { leastCpuMs, paceOf, type Turn, turnsSince } from './pace.ts';

const WORK_MS = 10;
const EVERY_MS = 200;

/** Turns of a probe whose work takes so many times as long as it should, one figure for each turn; from 0 on. */
function turns(...slower: number[]): Turn[] {
  let dueMs = 0;
  return slower.map((times) => {
    const turn = { dueMs, doneMs: dueMs + WORK_MS * times, cpuMs: WORK_MS };
    dueMs = turn.doneMs + EVERY_MS - WORK_MS;
    return turn;
  });
}

test('without a probe all time is fair', () => {
  const pace = paceOf([]);
  expect([pace.fairMs(1000, 3000), pace.after(1000, 2000)]).toEqual([2000, 3000]);
});

test('on a machine at rest all time is fair, noise included', () => {
  const pace = paceOf(turns(1, 1.2, 1.4, 1, 1.1));
  expect([pace.fairMs(-500, 5000), pace.after(100, 700)]).toEqual([5500, 800]);
});

test('of the time of a machine that has four times as much to do as it can, a quarter is fair', () => {
  const pace = paceOf(turns(...Array<number>(100).fill(4)));
  expect(pace.fairMs(1000, 9000)).toBeCloseTo(2000);
  expect(pace.after(1000, 2000)).toBeCloseTo(9000);
});

test('of the time from an instant on the turns since then say the same as all of them', () => {
  const all = turns(1, 4, 2, 1, 30, 1, 1, 7, 1, 3);
  const [full, least] = [paceOf(all), leastCpuMs(all)];
  for (let fromMs = -500; fromMs < 4000; fromMs += 37) {
    const late = paceOf(turnsSince(all, fromMs), least);
    for (let toMs = fromMs; toMs < 4500; toMs += 41)
      expect(late.fairMs(fromMs, toMs)).toBeCloseTo(full.fairMs(fromMs, toMs), 6);
  }
});

test('before the probe began and after it ended all time is fair', () => {
  const all = turns(...Array<number>(10).fill(4));
  const endMs = all.at(-1)?.doneMs ?? 0;
  const pace = paceOf(all);
  expect(pace.fairMs(-1000, 0)).toBe(1000);
  expect(pace.fairMs(endMs, endMs + 1000)).toBeCloseTo(1000);
  expect(pace.after(endMs - 400, 200)).toBeCloseTo(endMs + 100);
});

test('a machine that stood still is excused for just that time', () => {
  // The third turn is due at 400, and done 3 s late.
  const pace = paceOf(turns(1, 1, 301, 1, 1, 1));
  expect(pace.fairMs(0, 400)).toBeCloseTo(400);
  expect(pace.fairMs(400, 3410)).toBeCloseTo(10);
  expect(pace.after(300, 1000)).toBeCloseTo(4300);
});

test('work is measured by the least it ever took of a processor: a neighbour on the same core counts too', () => {
  const shared = turns(3, 3, 3, 3).map((turn) => ({ ...turn, cpuMs: 30 }));
  expect(paceOf([{ dueMs: -200, doneMs: -190, cpuMs: 10 }, ...shared]).fairMs(0, 660)).toBeCloseTo(220);
});

test('a bound is met by what is late because of the machine, and broken by what is late all the same', () => {
  const boundMs = 5000;
  const pace = paceOf(turns(...Array<number>(200).fill(3)));
  const isLate = (tookMs: number) => 1000 + tookMs > pace.after(1000, boundMs);
  expect([isLate(5001), isLate(14_999), isLate(15_001)]).toEqual([false, false, true]);
});
