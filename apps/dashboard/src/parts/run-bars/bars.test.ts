import { expect, test } from 'vitest';
import { RUN_STATES } from '../../states.ts';
import { type BarRun, barsOf, countsOf, drawingsOf, MOST_BARS, PITCH, TALLEST } from './bars.ts';

const run = (state: BarRun['state'], durationMs: number | null = null): BarRun => ({ id: state, state, durationMs });

test('the latest run is at the right, whatever their number, and more than have a place are left out', () => {
  expect(barsOf([run('failed', 1), run('succeeded', 1)]).map(({ x }) => x / PITCH)).toEqual([29, 28]);
  const many = barsOf(Array.from({ length: 50 }, () => run('succeeded', 1)));
  expect(many).toHaveLength(MOST_BARS);
  expect(many.at(-1)?.x).toBe(0);
});

test('the longest run is the highest bar, and a short one can still be seen', () => {
  const heights = barsOf([run('succeeded', 60_000), run('failed', 30_000), run('succeeded', 1)]).map(
    (bar) => bar.height,
  );
  expect(heights).toEqual([TALLEST, TALLEST / 2, 3]);
});

test('states are told apart by shape: a failure has a cross, what was left out is hollow, a missed one is a gap', () => {
  const shapes = barsOf(
    (['succeeded', 'failed', 'timed_out', 'skipped', 'missed', 'running', 'held'] as const).map((state) => run(state)),
  );
  expect(shapes.map(({ shape }) => shape)).toEqual([
    ...['solid', 'crossed', 'crossed', 'hollow', 'gap', 'open', 'dotted'],
  ]);
});

test('only what has succeeded looks like it', () => {
  const solid = barsOf(RUN_STATES.slice(0, MOST_BARS).map((state) => run(state))).filter(
    ({ shape }) => shape === 'solid',
  );
  expect(solid.map(({ run: { state } }) => state)).toEqual(['succeeded']);
});

test('states are counted, the most first', () => {
  expect(countsOf([run('failed'), run('succeeded'), run('succeeded')])).toEqual([
    ['succeeded', 2],
    ['failed', 1],
  ]);
});

test('all bars of a tone are drawn by one path of what is filled, one of lines and one of crosses', () => {
  const states = ['succeeded', 'failed', 'failed', 'missed', 'skipped', 'running', 'succeeded'] as const;
  const drawn = drawingsOf(barsOf(states.map((state) => run(state, 1000))));
  const all = (of: (one: (typeof drawn)[number][1]) => string) => drawn.map(([, one]) => of(one)).join('');
  const count = (path: string, what: RegExp) => path.match(what)?.length ?? 0;
  expect(new Set(drawn.map(([tone]) => tone)).size).toBe(drawn.length);
  expect(
    count(
      all(({ full }) => full),
      /v18/g,
    ),
  ).toBe(4);
  // A gap, a hollow one, and the two sides of one that is open.
  expect(
    count(
      all(({ line }) => line),
      /M/g,
    ),
  ).toBe(4);
  expect(
    count(
      all(({ mark }) => mark),
      /M/g,
    ),
  ).toBe(4);
});
