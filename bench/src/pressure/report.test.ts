import { expect, it } from 'vitest';
import { CLEAN, PHASES, type Phase } from './phases.ts';
import { completionOf, completionTable, coresOf, costTable, sizeTable } from './report.ts';
import type { RunFigures } from './run-figures.ts';
import type { PhaseResult } from './run-phase.ts';

const MB = 2 ** 20;
const [READERS = CLEAN, LOAD = CLEAN] = ['readers', 'load'].map((name) => PHASES.find((each) => each.name === name));

function result(phase: Phase, runs: Partial<RunFigures> = {}): PhaseResult {
  const late = { p50: 5, p99: 9 };
  return {
    phase,
    seconds: 10,
    offered: 1000,
    runs: {
      ...{ rows: 1000, during: 100, after: Number.NaN, late, lateAfter: late },
      ...{ retried: 0, unsuccessful: 0, drainMs: 0 },
      ...runs,
    },
    usage: {
      cpuUs: { worker: 2_000_000, scheduler: 500_000, postgres: 1_500_000, redis: 1_000_000 },
      ...{ othersUs: 1_000_000, walBytes: 2_000_000, fullPageBytes: 500_000, commits: 1200 },
    },
    dead: { rows: 70, table: 'key_slot' },
    sizes: new Map([
      ['run', 3 * MB],
      ['key_slot', 0.5 * MB],
    ]),
    notes: [],
  };
}

const cellsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));

it('completion is a share of the clean phase', () => {
  const readers = result(READERS, { during: 90, after: 110 });
  expect(completionOf(readers, [result(CLEAN), readers])).toEqual({ during: 0.9, after: 1.1 });
  expect(completionOf(readers, [readers]).during).toBeNaN();
});

it('each phase has a line with its completion, lateness and runs that did not go well', () => {
  const load = result(LOAD, { during: 149.5, after: 100, rows: 999, retried: 3, unsuccessful: 2, drainMs: 1250 });
  expect(cellsOf(completionTable([result(CLEAN), load])).slice(1)).toEqual([
    ['clean', '100', '100.0', '-', '5', '9', '5', '9', '0.0', '1000', '0', '0', '0'],
    ['1.5 x load', '150', '149.5', '100.0', '5', '9', '5', '9', '1.3', '1000', '1', '3', '2'],
  ]);
});

it('runs that never began have a dash for their lateness, and so has a drain without end', () => {
  const stuck = result(READERS, { late: { p50: 5, p99: Number.POSITIVE_INFINITY }, drainMs: Number.NaN });
  expect(cellsOf(completionTable([stuck]))[1]?.slice(4, 9)).toEqual(['5', '-', '5', '9', '-']);
});

it('costs are shared among the runs that succeeded in the phase', () => {
  expect(coresOf(result(CLEAN))).toBe(0.5);
  expect(cellsOf(costTable([result(CLEAN)]))[1]).toEqual([
    'clean',
    '2000',
    '500',
    '1500',
    '1000',
    '2000',
    '500',
    '1.20',
    '0.50',
    '0.10',
    '70',
    'key_slot',
  ]);
});

it('sizes are those of the largest tables, the largest first', () => {
  expect(cellsOf(sizeTable([result(CLEAN)]))).toEqual([
    ['MB at the end', 'run', 'key_slot'],
    ['clean', '3.0', '0.5'],
  ]);
});
