import { SECOND, systemClock } from '@escapement/core';
import { until } from '../wait.ts';
import { makeMoreDue, moreRuns } from './load.ts';
import { patiently } from './patiently.ts';
import type { Phase } from './phases.ts';
import type { Ground, Pressure } from './pressure.ts';
import { type PressureUsage, read, usageBetween } from './readings.ts';
import { type RunFigures, runFigures, type Span } from './run-figures.ts';
import { readSeenRuns } from './seen-runs.ts';
import { type DeadRows, type DeadRowWatch, tableSizes } from './tables.ts';

export interface Timing {
  /** Runs of the steady load in a second. */
  rate: number;
  /** Of a phase, and of the rest after it. */
  seconds: number;
  rest: number;
}

export interface PhaseResult {
  phase: Phase;
  seconds: number;
  /** Runs that were to be due in the phase. */
  offered: number;
  runs: RunFigures;
  usage: PressureUsage;
  dead: DeadRows;
  /** Bytes by table at the end of the rest. */
  sizes: ReadonlyMap<string, number>;
  /** What the pressure says of itself, and errors of the fleet. */
  notes: readonly string[];
}

/** What all phases of a lane act on. */
export type LaneGround = Omit<Ground, 'fromMs' | 'toMs'> & { deadRows: DeadRowWatch };

/** The driver makes more tasks due so long ahead: schedulers plan them before the phase begins. */
const NOTICE_MS = 13 * SECOND;
/** A run that ends at the last instant needs a moment to be in the ledger. */
const SETTLE_MS = 500;
const NOTHING: Pressure = { end: async () => '' };

/** Puts a fleet under the pressure of a phase, lets it rest, and reads what became of the runs of both. */
export async function runPhase(lane: LaneGround, phase: Phase, timing: Timing): Promise<PhaseResult> {
  const { rate, seconds } = timing;
  const span = await prepare(lane, phase, timing);
  const { before, after, ownUs, dead, said } = await weigh(lane, phase, span);
  await until(span.untilMs + SETTLE_MS);
  const runs = await patiently(() => readSeenRuns(lane.db, span.fromMs, span.untilMs));
  return {
    phase,
    seconds,
    offered: rate * seconds + moreRuns({ rate, seconds, times: phase.times ?? 1 }),
    runs: runFigures(runs, span, rate),
    // Not sooner: to read the log of a burst takes a processor some seconds.
    usage: await usageBetween(lane.db, before, after, ownUs),
    dead,
    sizes: await tableSizes(lane.db),
    notes: [said, ...lane.fleet.takeErrors()].filter((note) => note !== ''),
  };
}

async function weigh(lane: LaneGround, { begin }: Phase, span: Span) {
  await until(span.fromMs);
  lane.deadRows.take();
  lane.fleet.takeErrors();
  const before = await read(lane);
  const pressure = (await begin?.({ ...lane, ...span })) ?? NOTHING;
  await until(span.toMs);
  const ownUs = pressure.ownPostgresUs?.() ?? 0;
  const after = await read(lane);
  const dead = lane.deadRows.take();
  return { before, after, ownUs, dead, said: await pressure.end() };
}

/** The clean phase needs no rest. */
async function prepare({ db }: LaneGround, phase: Phase, { rate, seconds, rest }: Timing): Promise<Span> {
  const { name, times = 1 } = phase;
  const noticeMs = times > 1 ? NOTICE_MS : SECOND;
  const fromMs = Math.ceil((systemClock.now().getTime() + noticeMs) / SECOND) * SECOND;
  if (times > 1) await makeMoreDue(db, name, fromMs, rate * (times - 1));
  const toMs = fromMs + seconds * SECOND;
  const hasRest = times > 1 || phase.begin !== undefined;
  return { fromMs, toMs, untilMs: toMs + (hasRest ? rest * SECOND : 0) };
}
