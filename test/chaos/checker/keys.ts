import { groupedBy, isTerminal, SECOND } from '@escapement/core';
import type { Call, FaultWindow, Move } from '../evidence.ts';
import { excusedUntil } from './deadline.ts';
import { largest } from './extremes.ts';
import { at, type Invariant } from './invariant.ts';

/** The published bound: how long a handler that lost its lease may go on beside its successor. No load of the machine excuses more. */
const ABORT_BOUND_MS = 5 * SECOND;

/** Reasons of the ledger for taking a run away from its worker. */
const TAKEN_AWAY = /^lost its worker|could no longer prove its lease/;

export const noOverlap: Invariant = {
  id: 'I5',
  title: 'no key has more handlers at once than its limit, but for the abort bound after a lost lease',
  check(evidence) {
    const tasks = new Map(evidence.tasks.map((task) => [task.name, task]));
    const exclusive = evidence.calls.filter((call) => tasks.get(call.task)?.allowsOverlap === false);
    const keyOf = (call: Call) => tasks.get(call.task)?.key ?? call.task;
    const stretches = [...groupedBy(exclusive, keyOf)].flatMap(([key, calls]) =>
      overlaps(calls, tasks.get(calls[0]?.task ?? '')?.limit ?? 1).map((stretch) => ({ key, ...stretch })),
    );
    const lost = evidence.moves.filter(({ from, reason }) => from === 'running' && TAKEN_AWAY.test(reason ?? ''));
    const isLost = ({ runId, fence }: Call) => lost.some((move) => move.runId === runId && move.fence === fence);
    const longest = largest(
      0,
      stretches.map(({ forMs }) => forMs),
    );
    return {
      figures: `${exclusive.length} attempts, ${stretches.length} overlaps, the longest ${longest} ms`,
      violations: stretches
        .filter(({ forMs, calls }) => forMs > ABORT_BOUND_MS || !calls.some(isLost))
        .map(
          ({ key, fromMs, forMs, calls }) =>
            `${key}: ${calls.map(named).join(' and ')} for ${forMs} ms from ${at(fromMs)}`,
        ),
    };
  },
};

function named({ runId, fence }: Call): string {
  return `run ${runId} under fence ${fence}`;
}

/** A time in which more attempts of a key were at the target than its limit allows. */
interface Stretch {
  fromMs: number;
  forMs: number;
  calls: Call[];
}

function overlaps(calls: readonly Call[], limit: number): Stretch[] {
  const steps = calls.flatMap((call) => {
    // With no end seen, or none after its start, an attempt was at work for a moment only.
    if (call.endMs === null || call.endMs <= call.startMs) return [];
    return [
      { call, ms: call.startMs, change: 1 },
      { call, ms: call.endMs, change: -1 },
    ];
  });
  // At one instant ends come before starts.
  steps.sort((a, b) => a.ms - b.ms || a.change - b.change);
  const stretches: Stretch[] = [];
  const inside = new Set<Call>();
  let stretch: Stretch | undefined;
  for (const { call, ms, change } of steps) {
    if (change > 0) inside.add(call);
    else inside.delete(call);
    if (inside.size > limit)
      stretch = { fromMs: stretch?.fromMs ?? ms, forMs: 0, calls: [...inside, ...(stretch?.calls ?? [])] };
    else if (stretch) {
      if (ms > stretch.fromMs)
        stretches.push({ ...stretch, forMs: ms - stretch.fromMs, calls: [...new Set(stretch.calls)] });
      stretch = undefined;
    }
  }
  return stretches;
}

/** Between the look at the ledger and the skip the blocker may end; a fault may come in between, too. */
const LOOK_MS = 1 * SECOND;

export const honestSkips: Invariant = {
  id: 'I5b',
  title: 'each skip names a run of its key that was open when it was due',
  check(evidence) {
    const history = groupedBy(evidence.moves, (move) => move.runId);
    const blockers = new Map(evidence.runs.map((run) => [run.id, run.blockedBy]));
    const skips = evidence.moves.filter(({ to }) => to === 'skipped');
    return {
      figures: `${skips.length} skips`,
      violations: skips.flatMap((skip) => {
        const lie = lieOf(skip, history.get(blockers.get(skip.runId) ?? '') ?? [], evidence.faults);
        return lie ? [`run ${skip.runId} skipped at ${at(skip.atMs)} (${skip.reason}): ${lie}`] : [];
      }),
    };
  },
};

function lieOf(skip: Move, blocker: readonly Move[], faults: readonly FaultWindow[]): string | undefined {
  const last = blocker.filter(({ seq }) => seq < skip.seq).at(-1);
  if (!last) return 'there was no run in its way';
  if (last.key !== skip.key) return `the run in its way has the key ${last.key}`;
  if (!isTerminal(last.to)) return undefined;
  const held = faults.some((fault) => fault.fromMs < skip.atMs && excusedUntil(fault) > last.atMs);
  if (last.atMs >= skip.dueMs && (held || skip.atMs - last.atMs <= LOOK_MS)) return undefined;
  return `the run in its way had ended at ${at(last.atMs)}, ${skip.atMs - last.atMs} ms before`;
}

/** The ledger and the target agree: what succeeded was done, under the fence that committed it; what was done had begun. */
export const doneAsSaid: Invariant = {
  id: 'I6b',
  title: 'what succeeded was done, and nothing was done that had not begun',
  check(evidence) {
    const attempt = (runId: string, fence: number | null) => `${runId} under fence ${fence}`;
    const done = new Set(
      evidence.calls.filter(({ outcome }) => outcome === 'ok').map((call) => attempt(call.runId, call.fence)),
    );
    const begun = new Set(
      evidence.moves.filter(({ to }) => to === 'running').map((move) => attempt(move.runId, move.fence)),
    );
    const succeeded = evidence.moves
      .filter(({ to }) => to === 'succeeded')
      .map((move) => attempt(move.runId, move.fence));
    const calls = evidence.calls.map((call) => attempt(call.runId, call.fence));
    return {
      figures: `${succeeded.length} successes, ${calls.length} attempts at the target`,
      violations: [
        ...succeeded.filter((each) => !done.has(each)).map((each) => `run ${each} succeeded, but was not done`),
        ...calls.filter((each) => !begun.has(each)).map((each) => `run ${each} was at work without having begun`),
        ...twice(calls).map((each) => `run ${each} was at work twice`),
      ],
    };
  },
};

function twice(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

export const notTwice: Invariant = {
  id: 'I12b',
  title: 'what must be done at most once was at work at most once',
  check({ tasks, calls, runs }) {
    const once = new Set(tasks.filter(({ atMostOnce }) => atMostOnce).map(({ name }) => name));
    const own = calls.filter(({ task }) => once.has(task)).map(({ runId }) => runId);
    const unknown = runs.filter(({ state }) => state === 'unknown').length;
    return {
      figures: `${own.length} at work, ${unknown} left unknown`,
      violations: twice(own).map((runId) => `run ${runId} was at work again`),
    };
  },
};
