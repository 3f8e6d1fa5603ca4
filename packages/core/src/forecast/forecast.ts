import { DAY } from '../clock.ts';
import { OVERLAP_RULES } from '../overlap.ts';
import { type BusyKey, createBusyKeys } from './busy-keys.ts';
import type { Span } from './fires.ts';
import { createFires, tooLarge } from './fires.ts';
import { createLoad, type Load, type LoadOf, type Peak } from './load.ts';
import { createRunsOf, type ForecastTask } from './runs-of.ts';

export interface ForecastQuestion extends Span {
  /** Where each piece of the time begins, from `from` on. In milliseconds since the epoch. */
  pieces: readonly number[];
  /** How many runs the living workers of a pool take at once; one without workers may be left out. */
  capacity: ReadonlyMap<string, number>;
}

export interface Forecast {
  /** Tasks that start in the time. */
  tasks: number;
  runs: number;
  pieces: ForecastPiece[];
  pools: PoolForecast[];
  /** Keys of which a run meets another that is still at work, those first that meet most. */
  keys: BusyKey[];
  /** Occurrences that do not run. */
  notRun: { paused: number; excluded: number };
  /** Tasks of which it is not known how long they take: what they start is counted, what they keep at work is not. */
  unmeasured: { tasks: number; runs: number; first: string[] };
  /** Tasks that start at no time of their own: by hand, after others, or after an end that nobody knows. */
  untimed: number;
  /** For questions about other pieces of the time. */
  load: Load;
}

export interface ForecastPiece extends LoadOf {
  from: number;
  to: number;
}

export interface PoolForecast {
  pool: string;
  runs: number;
  /** Runs that its living workers take at once. */
  capacity: number;
  p50: Peak;
  p95: Peak;
}

/** Names that are given of a kind of tasks. */
const MOST_NAMED = 100;
/** Some ten seconds. */
const MOST_RUNS = 2_000_000_000;
/** What started longer before the time is not looked for. */
const MOST_LEAD_MS = 7 * DAY;
/** Tasks between two pauses. */
const PAGE = 500;

/**
 * What the schedules of tasks will start from `from` on and before `to`, and what will be at work at once, from how long their runs took. It does not know
 * of retries, triggers and followers, and lets no run wait: it says what wants to run. Yields now and then.
 * Throws `forecast_too_large`.
 */
export function* forecast(
  tasks: readonly ForecastTask[],
  { from, to, pieces, capacity }: ForecastQuestion,
): Generator<void, Forecast> {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  // What started before may be at work still.
  const longestMs = tasks.reduce((most, { took }) => Math.max(most, took?.p95Ms ?? 0), 0);
  const leadMs = Math.min(MOST_LEAD_MS, longestMs);
  const runsOf = createRunsOf(createFires({ from, to, leadMs }), { from, to });
  const keys = createBusyKeys(fromMs);
  const all = createLoad(fromMs, toMs);
  const load = createLoad(fromMs, toMs);
  const found: Pick<Forecast, 'tasks' | 'runs' | 'notRun' | 'unmeasured' | 'untimed'> = {
    ...{ tasks: 0, runs: 0, untimed: 0 },
    notRun: { paused: 0, excluded: 0 },
    unmeasured: { tasks: 0, runs: 0, first: [] },
  };
  const pools: PoolForecast[] = [];

  function take(task: ForecastTask, into: Load): void {
    const runs = runsOf(task);
    if (runs === null) {
      found.untimed += 1;
      return;
    }
    found.notRun.paused += runs.paused * task.each;
    found.notRun.excluded += runs.excluded * task.each;
    into.add(runs.at, task.each, task.took);
    if (task.took && OVERLAP_RULES[task.overlap.policy].takesSlot) keys.add(task, task.took, runs);
    if (runs.inside > 0) count(task, runs.inside * task.each);
  }

  function count({ name, took }: ForecastTask, runs: number): void {
    found.tasks += 1;
    found.runs += runs;
    if (found.runs > MOST_RUNS) throw tooLarge(MOST_RUNS, { from, to });
    if (took !== null) return;
    found.unmeasured.tasks += 1;
    found.unmeasured.runs += runs;
    if (found.unmeasured.first.length < MOST_NAMED) found.unmeasured.first.push(name);
  }

  for (const [pool, its] of groupedByPool(tasks)) {
    load.clear();
    for (const [index, task] of its.entries()) {
      take(task, load);
      if (index % PAGE === PAGE - 1) yield;
    }
    const { starts, p50, p95 } = load.of(fromMs, toMs);
    if (starts > 0) pools.push({ pool, runs: starts, capacity: capacity.get(pool) ?? 0, p50, p95 });
    all.addAll(load);
    yield;
  }
  return {
    ...found,
    pieces: pieces.map((piece, index) => {
      const end = pieces[index + 1] ?? toMs;
      return { from: piece, to: end, ...all.of(piece, end) };
    }),
    pools,
    keys: keys.busy(),
    load: all,
  };
}

function groupedByPool(tasks: readonly ForecastTask[]): Map<string, ForecastTask[]> {
  const pools = new Map<string, ForecastTask[]>();
  for (const task of tasks) {
    const its = pools.get(task.pool);
    if (its) its.push(task);
    else pools.set(task.pool, [task]);
  }
  return new Map([...pools].sort(([a], [b]) => (a < b ? -1 : 1)));
}
