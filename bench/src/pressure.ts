import { parseArgs } from 'node:util';
import { SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { fillHistory } from './fill-weeks.ts';
import { PRESSURE_LANES, type PressureLane, startPressureFleet } from './pressure/fleet.ts';
import { beginSteady, insertMore, insertSteady, moreRuns } from './pressure/load.ts';
import { CLEAN, chosenPhases, type Phase } from './pressure/phases.ts';
import { completionOf, coresOf, report } from './pressure/report.ts';
import { type LaneGround, type PhaseResult, runPhase, type Timing } from './pressure/run-phase.ts';
import { type PressureServers, startPressureServers } from './pressure/servers.ts';
import { openSessions } from './pressure/sessions.ts';
import { watchDeadRows } from './pressure/tables.ts';
import { figure } from './table.ts';
import type { Figures } from './targets.ts';
import { until } from './wait.ts';

const DEFAULTS = { rate: 250, seconds: 30, rest: 30, warm: 35 };

interface Options extends Timing {
  /** Seconds of the steady load before the first phase. */
  warm: number;
  phases: readonly Phase[];
  lanes: readonly PressureLane[];
  /** The ledger has 13 weeks of runs. */
  history: boolean;
}

/**
 * `pressure [--rate N] [--seconds N] [--rest N] [--warm N] [--only NAME,...] [--lane delayed|repeatable] [--empty]`: a fleet under the phases of a
 * public harness, on each lane: completion beside the clean phase, lateness, retried runs, dead rows, log, commits, processor time, sizes.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const options = optionsOf(args);
  const cores: number[] = [];
  for (const lane of options.lanes) {
    process.stdout.write(`\n${lane.lane} jobs: ${options.rate} runs/s, phases of ${options.seconds} s\n`);
    const results = await measureLane(lane, options);
    process.stdout.write(`\n${report(results)}`);
    cores.push(...results.filter(({ phase }) => phase === CLEAN).map(coresOf));
  }
  // The target is for this rate, and for the dearer of both lanes.
  return options.rate === DEFAULTS.rate && cores.length === PRESSURE_LANES.length
    ? { pressureCores: Math.max(...cores) }
    : {};
}

function optionsOf(args: readonly string[]): Options {
  const option = { type: 'string' } as const;
  const numbers = { rate: option, seconds: option, rest: option, warm: option };
  const { values } = parseArgs({
    args: [...args],
    options: { ...numbers, only: option, lane: option, empty: { type: 'boolean' } },
  });
  const lanes = PRESSURE_LANES.filter(({ lane }) => values.lane === undefined || lane === values.lane);
  if (lanes.length === 0)
    throw new Error(`--lane ${values.lane}: there are ${PRESSURE_LANES.map(({ lane }) => lane).join(' and ')}`);
  return {
    rate: Number(values.rate ?? DEFAULTS.rate),
    seconds: Number(values.seconds ?? DEFAULTS.seconds),
    rest: Number(values.rest ?? DEFAULTS.rest),
    warm: Number(values.warm ?? DEFAULTS.warm),
    phases: chosenPhases(values.only?.split(',')),
    lanes,
    history: values.empty !== true,
  };
}

/** Each lane has servers of its own, so that none begins with what another has left. */
async function measureLane(lane: PressureLane, options: Options): Promise<PhaseResult[]> {
  const servers = await startPressureServers();
  try {
    const db = openSessions(servers.databaseUrl, 'driver');
    try {
      await fill(db, options);
      return await measureFleet(servers, db, lane, options);
    } finally {
      await db.close();
    }
  } finally {
    await servers.stop();
  }
}

async function fill(db: Database, { rate, seconds, phases, history }: Options): Promise<void> {
  await db.pool.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  const tasks = await insertSteady(db, rate);
  if (history) await fillHistory(db, tasks);
  for (const { name, times = 1 } of phases)
    if (times > 1) await insertMore(db, name, moreRuns({ rate, times, seconds }));
  await db.pool.query('VACUUM ANALYZE');
}

async function measureFleet(
  servers: PressureServers,
  db: Database,
  lane: PressureLane,
  options: Options,
): Promise<PhaseResult[]> {
  const fleet = await startPressureFleet(servers, lane);
  const deadRows = watchDeadRows(db);
  try {
    await until((await beginSteady(db, options.rate)) + options.warm * SECOND);
    const results = await measurePhases({ servers, fleet, db, deadRows }, options);
    for (const death of fleet.deaths) process.stdout.write(`NOT KILLED: ${death}\n`);
    return results;
  } finally {
    await fleet.stop();
    await deadRows.stop();
  }
}

async function measurePhases(lane: LaneGround, { phases, ...timing }: Options): Promise<PhaseResult[]> {
  const results: PhaseResult[] = [];
  for (const phase of phases) {
    const result = await runPhase(lane, phase, timing);
    results.push(result);
    const { during, after } = completionOf(result, results);
    process.stdout.write(
      `${systemClock.now().toISOString().slice(11, 19)} ${phase.title}: ${figure(100 * during, 1)} % during, ` +
        `${figure(100 * after, 1)} % after, ${figure(coresOf(result), 2)} cores${result.notes.map((note) => `\n  ${note}`).join('')}\n`,
    );
  }
  return results;
}
