import { newRunId, SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { clearTables, startFleet } from './fleet.ts';
import { insertTasks } from './insert-tasks.ts';
import { createMeter } from './meter.ts';
import { profiles } from './profile.ts';
import type { Round } from './rounds.ts';
import type { BenchServers } from './servers.ts';
import { until } from './wait.ts';

/** Until the code of all processes is compiled, caches are full, and what was late by that has run. */
export const WARM_UP_MS = 20_000;
/** What is late may still start. */
const REST_MS = 2000;
/** Delayed jobs carry calendar schedules, triggers and retries; repeatable jobs steady intervals, as these tasks have. */
export const LANES = [
  { lane: 'delayed', repeatableUpToMs: 0 },
  { lane: 'repeatable', repeatableUpToMs: SECOND },
];

export interface LatenessOptions {
  /** Runs due in a second. */
  rate: number;
  seconds: number;
  /** Intervals of up to this ride repeatable jobs. */
  repeatableUpToMs: number;
  concurrency: number;
  profileDir?: string | undefined;
}

/** What was due in the time, and what the runs that started cost. */
export interface Measured {
  lateness: readonly number[];
  profile: string;
  usage: Round;
}

/** What was not started at all is late without end. */
export async function fleetLateness(
  servers: BenchServers,
  { rate, seconds, repeatableUpToMs, concurrency, profileDir }: LatenessOptions,
): Promise<Measured> {
  await clearTables(servers);
  const fleet = await startFleet(servers, { repeatableUpToMs, concurrency, profileDir });
  const meter = await createMeter(servers, fleet.db, {
    worker: fleet.workers.map(({ pid }) => pid),
    scheduler: [fleet.scheduler.pid],
  });
  const profiling = profileDir === undefined ? undefined : profiles(fleet.db, profileDir);
  const first = Math.ceil(systemClock.now().getTime() / SECOND) * SECOND + 3 * SECOND;
  await insertTasks(fleet.db, rate, (index) => {
    const phaseMs = Math.floor((index * SECOND) / rate);
    return { spec: { kind: 'every', everyMs: SECOND, phaseMs }, nextRunAt: new Date(first + phaseMs) };
  });
  const from = first + WARM_UP_MS;
  const to = from + seconds * SECOND;
  await until(from);
  await profiling?.start();
  const started = await meter.start();
  await until(to);
  const usage = await meter.usage(started, await meter.end());
  await until(to + REST_MS);
  const lateness = await readLateness(fleet.db, new Date(from), new Date(to));
  const statements = (await profiling?.statements(lateness.length)) ?? '';
  meter.close();
  await fleet.stop();
  const names = new Map([
    ...fleet.workers.map(({ pid }): [number, string] => [pid, 'worker']),
    [fleet.scheduler.pid, 'scheduler'],
  ]);
  const unstarted = Math.max(0, rate * seconds - lateness.length);
  return {
    lateness: [...lateness, ...new Array<number>(unstarted).fill(Number.POSITIVE_INFINITY)],
    usage: { runs: lateness.length, tookMs: to - from, usage },
    profile: statements + ((await profiling?.functions(names)) ?? ''),
  };
}

/** Of all that was due in the time, by the ledger. Ids begin with that time: so the primary key finds them in a large ledger. */
export async function readLateness(db: Database, from: Date, to: Date): Promise<number[]> {
  const { rows } = await db.pool.query<{ ms: number }>(
    `SELECT extract(epoch FROM started_at - due_at)::float8 * 1000 AS ms FROM run
     WHERE scheduled_for >= $1 AND scheduled_for < $2 AND id >= $3 AND id < $4 AND started_at IS NOT NULL`,
    [from.toISOString(), to.toISOString(), newRunId(from, new Uint8Array(10)), newRunId(to, new Uint8Array(10))],
  );
  return rows.map(({ ms }) => ms);
}
