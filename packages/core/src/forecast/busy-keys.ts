import { createKeyQueue } from './key-queue.ts';
import type { Took } from './load.ts';
import type { ForecastTask, RunsOf } from './runs-of.ts';

/** A key of which a run meets another that is still at work. */
export interface BusyKey {
  key: string;
  limit: number;
  /** Tasks that have it, at most 20. */
  tasks: string[];
  runs: number;
  /** If each run takes as long as half of its task's do. */
  p50: KeyOutcome;
  /** If each run takes as long as only 5 % do. */
  p95: KeyOutcome;
}

export interface KeyOutcome {
  /** Start later than they are due. */
  wait: number;
  longestWaitMs: number;
  skipped: number;
  /** Stop a run at work. */
  replace: number;
  /** The first that does not simply start, in milliseconds since the epoch; null: each does. */
  firstAt: number | null;
}

interface Member {
  task: ForecastTask;
  took: Took;
  runs: RunsOf;
}

const MOST_NAMED = 20;
const MOST_KEYS = 1000;

/** Finds the keys that will be busy when a run comes. `from`: runs before it are played through, and not counted. */
export function createBusyKeys(from: number) {
  const members = new Map<string, Member[]>();

  return {
    add(task: ForecastTask, took: Took, runs: RunsOf): void {
      const its = members.get(task.key);
      if (its) its.push({ task, took, runs });
      else members.set(task.key, [{ task, took, runs }]);
    },
    /** Those that meet most first. */
    busy(): BusyKey[] {
      return [...members]
        .flatMap(([key, its]) => busyKey(key, its, from) ?? [])
        .sort((a, b) => met(b.p95) - met(a.p95) || (a.key < b.key ? -1 : 1))
        .slice(0, MOST_KEYS);
    },
  };
}

const met = ({ wait, skipped, replace }: KeyOutcome): number => wait + skipped + replace;

function busyKey(key: string, members: readonly Member[], from: number): BusyKey | undefined {
  const [first] = members;
  const limit = Math.min(...members.map(({ task }) => task.limit));
  // As many runs are over before the next one comes, and nobody else has the key: most keys.
  if (!first || (members.length === 1 && first.took.p95Ms <= limit * first.runs.leastGapMs)) return undefined;
  const starts = inTurn(members);
  const p95 = outcomeOf(starts, { limit, from, tookMs: ({ p95Ms }) => p95Ms });
  if (met(p95) === 0) return undefined;
  const p50 = outcomeOf(starts, { limit, from, tookMs: ({ p50Ms }) => p50Ms });
  const tasks = members.slice(0, MOST_NAMED).map(({ task }) => task.name);
  return { key, limit, tasks, runs: members.reduce((sum, { runs }) => sum + runs.inside, 0), p50, p95 };
}

/** All runs of a key, the first due first, and whose each is. */
interface Starts {
  at: Float64Array;
  of: (index: number) => Member;
}

function inTurn(members: readonly Member[]): Starts {
  const [first, ...others] = members;
  if (!first) throw new TypeError('a key has a member');
  if (others.length === 0) return { at: first.runs.at, of: () => first };
  const starts = members.flatMap((member) => Array.from(member.runs.at, (at) => ({ at, member })));
  starts.sort((a, b) => a.at - b.at);
  return { at: Float64Array.from(starts, ({ at }) => at), of: (index) => starts[index]?.member ?? first };
}

function outcomeOf(
  starts: Starts,
  { limit, from, tookMs }: { limit: number; from: number; tookMs: (took: Took) => number },
): KeyOutcome {
  const judge = createKeyQueue(limit);
  const outcome: KeyOutcome = { wait: 0, longestWaitMs: 0, skipped: 0, replace: 0, firstAt: null };
  for (let index = 0; index < starts.at.length; index++) {
    const at = starts.at[index] ?? 0;
    const { task, took } = starts.of(index);
    const { startedAt, replaces } = judge({ at, tookMs: tookMs(took), overlap: task.overlap });
    if (at < from || (startedAt === at && !replaces)) continue;
    outcome.firstAt ??= at;
    if (replaces) outcome.replace += 1;
    else if (startedAt === null) outcome.skipped += 1;
    else {
      outcome.wait += 1;
      outcome.longestWaitMs = Math.max(outcome.longestWaitMs, startedAt - at);
    }
  }
  return outcome;
}
