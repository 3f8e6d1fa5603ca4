import { groupedBy, SECOND } from '@escapement/core';
import type { Evidence, LedgerRun, Move, Rate } from '../evidence.ts';
import { deadline } from './deadline.ts';
import { largest } from './extremes.ts';
import { isStart } from './fences.ts';
import { at, type Invariant } from './invariant.ts';

/** What a begin that was under way may not have seen yet. */
const LOOK_MS = 1 * SECOND;

/** A stretch in which a run waited for a token of its rate. */
interface Wait {
  run: LedgerRun;
  fromMs: number;
  /** Infinity: it still waits. */
  toMs: number;
}

/** Runs whose starts are counted together. */
interface Counted {
  key: string;
  rate: Rate;
  moves: Move[];
  starts: Move[];
  waits: Wait[];
}

export const rateHolds: Invariant = {
  id: 'R1',
  title: "no stretch of a rate's time has more starts than its limit, by Postgres' clock",
  check(evidence) {
    const all = countedTogether(evidence);
    return {
      figures: `${all.length} rates, ${all.flatMap(({ starts }) => starts).length} starts`,
      violations: all.flatMap(({ key, rate, starts }) => {
        const times = starts.map(({ startedMs }) => startedMs ?? Number.NaN).sort((one, other) => one - other);
        return times
          .filter((ms, index) => ms - (times[index - rate.limit] ?? Number.NEGATIVE_INFINITY) < rate.perMs)
          .map((ms) => `${key}: the start of ${at(ms)} is one too many in ${rate.perMs} ms`);
      }),
    };
  },
};

export const rateInOrder: Invariant = {
  id: 'R2',
  title: 'runs that wait for a token of a rate get it in the order of their due times',
  check(evidence) {
    const all = countedTogether(evidence);
    const runs = new Map(evidence.runs.map((run) => [run.id, run]));
    return {
      figures: `${all.flatMap(({ waits }) => waits).length} waits`,
      violations: all.flatMap(({ key, moves, starts, waits }) =>
        starts.flatMap((start) => {
          const run = runs.get(start.runId);
          const givenMs = tokenMs(start, moves);
          return waits
            .filter((wait) => run && isEarlier(wait.run, run))
            .filter(({ fromMs, toMs }) => fromMs < givenMs - LOOK_MS && toMs > givenMs + LOOK_MS)
            .map((wait) => `${key}: run ${start.runId} had a token at ${at(givenMs)} before run ${wait.run.id}`);
        }),
      ),
    };
  },
};

export const rateLetsGo: Invariant = {
  id: 'R3',
  title: 'nobody waits for a token much longer than those before it need',
  check(evidence) {
    const due = countedTogether(evidence).flatMap(({ key, rate, waits }) =>
      waits.map((wait) => ({ key, wait, byMs: turnMs(wait, { rate, waits }, evidence) })),
    );
    const longest = largest(0, due.map(({ wait }) => wait.toMs - wait.fromMs).filter(Number.isFinite));
    return {
      figures: `the longest for ${(longest / SECOND).toFixed(1)} s`,
      violations: due
        .filter(({ byMs, wait }) => byMs < evidence.workersStopMs && wait.toMs > byMs)
        .map(({ key, wait, byMs }) => `${key}: run ${wait.run.id} waits from ${at(wait.fromMs)} beyond ${at(byMs)}`),
    };
  },
};

function countedTogether({ tasks, runs, moves }: Evidence): Counted[] {
  const rates = new Map(tasks.flatMap(({ name, rate }) => (rate ? [[name, rate]] : [])));
  const history = groupedBy(moves, ({ runId }) => runId);
  const rated = runs.filter(({ task }) => rates.has(task));
  return [...groupedBy(rated, ({ task }) => rates.get(task)?.key ?? '')].flatMap(([key, own]) => {
    const rate = rates.get(own[0]?.task ?? '');
    if (!rate) return [];
    const ownMoves = own.flatMap((run) => history.get(run.id) ?? []);
    const waits = own.flatMap((run) => waitsOf(run, history.get(run.id) ?? []));
    return [{ key, rate, moves: ownMoves, starts: ownMoves.filter(isStart), waits }];
  });
}

function waitsOf(run: LedgerRun, moves: readonly Move[]): Wait[] {
  return moves.flatMap((move, index) => {
    if (move.to !== 'waiting' || move.from === 'waiting') return [];
    const end = moves.slice(index + 1).find(({ to }) => to !== 'waiting');
    return [{ run, fromMs: move.atMs, toMs: end?.atMs ?? Number.POSITIVE_INFINITY }];
  });
}

/** When it was a run's turn: when it was woken, or when it began without having waited. */
function tokenMs(start: Move, moves: readonly Move[]): number {
  const before = moves.filter(
    ({ runId, seq, attempt }) => runId === start.runId && seq < start.seq && attempt < start.attempt,
  );
  // Queued anew since, where its job was lost.
  const woken = before.filter(({ from, to }) => from === 'waiting' && to !== 'waiting').at(-1);
  return woken?.atMs ?? start.atMs;
}

/** By when a run is to be woken: once a token has come back for it and for each that waited before it. */
function turnMs({ run, fromMs }: Wait, { rate, waits }: Pick<Counted, 'rate' | 'waits'>, evidence: Evidence): number {
  const ahead = waits.filter((other) => other.toMs > fromMs && isEarlier(other.run, run)).length;
  // Two rounds more: of those that had tokens reserved, and of retries.
  const rounds = Math.ceil((ahead + 1) / rate.limit) + 2;
  return deadline(evidence.pace.after(fromMs + rounds * rate.perMs, rounds * HOP_MS), evidence);
}

/** A token counts from the begin of its run, and a run begins so long after it was woken at the latest, in fair time. */
const HOP_MS = 150;

function isEarlier(one: LedgerRun, other: LedgerRun): boolean {
  return (
    one.scheduledForMs < other.scheduledForMs || (one.scheduledForMs === other.scheduledForMs && one.id < other.id)
  );
}
