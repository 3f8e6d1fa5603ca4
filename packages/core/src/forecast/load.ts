/** Cells at most: the seconds of a week. */
const MOST_CELLS = 604_800;

/** How long runs take: half of them no longer than the one, 95 % no longer than the other. Milliseconds. */
export interface Took {
  p50Ms: number;
  p95Ms: number;
}

/** How many runs are at work at once, over a time. */
export interface Load {
  /** Adds `each` runs at each instant; those before the time may still be at work in it. `took`: null: not known, they count as starts alone. */
  add(at: Float64Array, each: number, took: Took | null): void;
  /** Adds all that another one of the same time has. */
  addAll(other: Load): void;
  clear(): void;
  /** Of [from, to): how many runs start, and how many are at work at once at most. */
  of(from: number, to: number): LoadOf;
  readonly cells: Cells;
}

/** A number for each piece of the time. */
interface Cells {
  starts: Int32Array;
  /** By how many more runs are at work in this piece than in the one before. */
  p50: Int32Array;
  p95: Int32Array;
}

export interface Peak {
  runs: number;
  /** When it is reached first, in milliseconds since the epoch; null: nothing is at work. */
  at: number | null;
}

export interface LoadOf {
  starts: number;
  p50: Peak;
  p95: Peak;
}

/**
 * A run is counted in each second in which it is at work, be it for a moment; of more than a week in pieces as long as it takes for
 * 604,800 of them.
 */
export function createLoad(fromMs: number, toMs: number): Load {
  const cellMs = Math.max(1000, Math.ceil((toMs - fromMs) / MOST_CELLS / 1000) * 1000);
  const count = Math.max(1, Math.ceil((toMs - fromMs) / cellMs));
  const cells: Cells = {
    starts: new Int32Array(count),
    p50: new Int32Array(count + 1),
    p95: new Int32Array(count + 1),
  };
  // What is at work in each cell, added up when it is first asked for.
  let summed: { p50: Int32Array; p95: Int32Array } | undefined;

  /** Ends a run that begins in a cell. */
  function endAt(line: Int32Array, cell: number, ms: number, each: number): void {
    const over = Math.min(count, Math.max(Math.ceil((ms - fromMs) / cellMs), cell + 1));
    line[over] = (line[over] ?? 0) - each;
  }

  return {
    cells,
    add(at, each, took) {
      summed = undefined;
      const { starts, p50, p95 } = cells;
      const p50Ms = took?.p50Ms ?? 0;
      const p95Ms = took?.p95Ms ?? 0;
      for (const start of at) {
        const cell = Math.floor((start - fromMs) / cellMs);
        if (cell >= count) break;
        if (cell >= 0) starts[cell] = (starts[cell] ?? 0) + each;
        if (took === null) continue;
        const first = Math.max(0, cell);
        if (cell >= 0 || start + p50Ms > fromMs) {
          p50[first] = (p50[first] ?? 0) + each;
          endAt(p50, first, start + p50Ms, each);
        }
        if (cell >= 0 || start + p95Ms > fromMs) {
          p95[first] = (p95[first] ?? 0) + each;
          endAt(p95, first, start + p95Ms, each);
        }
      }
    },
    addAll(other) {
      summed = undefined;
      for (const name of ['starts', 'p50', 'p95'] as const) addCells(cells[name], other.cells[name]);
    },
    clear() {
      summed = undefined;
      for (const line of Object.values(cells)) line.fill(0);
    },
    of(from, to) {
      summed ??= { p50: runningSum(cells.p50), p95: runningSum(cells.p95) };
      const first = Math.max(0, Math.floor((from - fromMs) / cellMs));
      const end = Math.min(count, Math.ceil((to - fromMs) / cellMs));
      let starts = 0;
      for (let cell = first; cell < end; cell++) starts += cells.starts[cell] ?? 0;
      const peak = (line: Int32Array): Peak => {
        let [best, runs] = [-1, 0];
        for (let cell = first; cell < end; cell++) if ((line[cell] ?? 0) > runs) [best, runs] = [cell, line[cell] ?? 0];
        return { runs, at: best === -1 ? null : fromMs + best * cellMs };
      };
      return { starts, p50: peak(summed.p50), p95: peak(summed.p95) };
    },
  };
}

function addCells(to: Int32Array, from: Int32Array): void {
  for (let cell = 0; cell < to.length; cell++) to[cell] = (to[cell] ?? 0) + (from[cell] ?? 0);
}

function runningSum(changes: Int32Array): Int32Array {
  const sums = new Int32Array(changes.length);
  let sum = 0;
  for (let cell = 0; cell < changes.length; cell++) {
    sum += changes[cell] ?? 0;
    sums[cell] = sum;
  }
  return sums;
}
