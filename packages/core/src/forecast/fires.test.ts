import { expect, test } from 'vitest';
import { SECOND } from '../clock.ts';
import { occurrencesOf, parseSchedule } from '../schedule/index.ts';
import { createFires } from './fires.ts';

const eachSecond = parseSchedule({ kind: 'every', everyMs: SECOND });
const span = { from: new Date('2027-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:10Z') };

test('of a schedule with more fires than are wanted those behind are left out, and that is said', () => {
  const firesOf = (most: number) =>
    createFires({ ...span, leadMs: 0, most })(eachSecond, '', () => occurrencesOf(eachSecond));
  expect(firesOf(10)).toMatchObject({ isCut: false, at: { length: 10 } });
  expect(firesOf(9)).toMatchObject({ isCut: true, at: { length: 10 } });
  expect(firesOf(2)).toMatchObject({ isCut: true, at: { length: 3 } });
});

test('more than can be worked out in some seconds is refused', () => {
  const years = { ...span, to: new Date('2027-03-01T00:00:00Z') };
  let asked = 0;
  const occurrences = {
    // As one that is due each second, but quick to ask.
    next: (after: Date) => new Date(after.getTime() + SECOND),
    excluded() {
      asked += 1;
      return null;
    },
  };
  const fires = createFires({ ...years, leadMs: 0 });
  expect(() => fires(eachSecond, '', () => occurrences)).toThrow('more than 5000000 runs');
  expect(asked).toBe(5_000_001);
});
