import { loadavg } from 'node:os';
import { SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import type { Measured as Servers } from './api-costs.ts';
import { cpuUsOf, cpuUsOfFamily, machineBusyUs } from './cpu.ts';
import { readLateness } from './fleet-lateness.ts';
import { figure, quantile, tableOf } from './table.ts';
import { until } from './wait.ts';

export interface Measured extends Servers {
  db: Database;
  /** Scheduler and workers. */
  fleetPids: readonly number[];
  /** Runs that are due each second by a schedule. */
  fleetRate: number;
}

/** A stretch of time in which something was done beside the fleet. */
export interface Phase {
  name: string;
  seconds: number;
  /** Of each run that was due in it; without end: it has not started. Milliseconds. */
  lateness: readonly number[];
  /** Cores that were busy with each. */
  cores: Record<'api' | 'postgres' | 'fleet' | 'others', number>;
  load: number;
}

/** What is due in a phase may still start after it. */
const REST_MS = 3 * SECOND;

/** Does something, and says how the fleet fared meanwhile and what processors did. The driver is among the others. */
export async function phaseOf<Result>(
  name: string,
  measured: Measured,
  work: () => Promise<Result>,
): Promise<{ phase: Phase; result: Result }> {
  const from = systemClock.now();
  const before = busyUs(measured);
  const result = await work();
  const after = busyUs(measured);
  const to = systemClock.now();
  await until(to.getTime() + REST_MS);
  const seconds = (to.getTime() - from.getTime()) / SECOND;
  const started = await readLateness(measured.db, from, to);
  // Others are triggered: with them it may be more than are due by a schedule.
  const unstarted = Math.max(0, Math.floor(measured.fleetRate * (seconds - 1)) - started.length);
  const cores = (of: keyof Phase['cores']) => (after[of] - before[of]) / seconds / 1e6;
  return {
    result,
    phase: {
      ...{ name, seconds, load: loadavg()[0] ?? Number.NaN },
      lateness: [...started, ...new Array<number>(unstarted).fill(Number.POSITIVE_INFINITY)],
      cores: { api: cores('api'), postgres: cores('postgres'), fleet: cores('fleet'), others: cores('others') },
    },
  };
}

function busyUs({ postgresPid, apiPid, fleetPids }: Measured): Phase['cores'] {
  const [api, postgres] = [cpuUsOf(apiPid), cpuUsOfFamily(postgresPid)];
  const fleet = fleetPids.reduce((sum, pid) => sum + cpuUsOf(pid), 0);
  return { api, postgres, fleet, others: machineBusyUs() - api - postgres - fleet };
}

export function phaseTable(phases: readonly Phase[]): string {
  const head = ['beside the fleet', 'runs', 'not started', 'late p50', 'p95', 'p99', 'cores: api', 'postgres'];
  return tableOf([
    [...head, 'fleet', 'others', 'load average'],
    ...phases.map(({ name, lateness, cores, load }) => [
      ...[name, String(lateness.length), String(lateness.filter((ms) => !Number.isFinite(ms)).length)],
      ...[0.5, 0.95, 0.99].map((share) => figure(quantile(lateness, share))),
      ...[cores.api, cores.postgres, cores.fleet, cores.others].map((each) => figure(each, 2)),
      figure(load, 1),
    ]),
  ]);
}
