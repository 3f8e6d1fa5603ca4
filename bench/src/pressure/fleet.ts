import { SECOND } from '@escapement/core';
import { createPlaces } from './places.ts';
import type { PressureServers } from './servers.ts';

const WORKERS = [0, 1] as const;
const SCHEDULER = WORKERS.length;
const CONCURRENCY = 100;
/** Each task of the steady load is due as often. */
export const PERIOD_MS = 30 * SECOND;

/** A repeatable job carries a task only if its interval is no longer than the horizon. */
export const PRESSURE_LANES = [
  { lane: 'delayed', repeatableUpToMs: 0, horizonMs: 10 * SECOND },
  { lane: 'repeatable', repeatableUpToMs: PERIOD_MS, horizonMs: PERIOD_MS },
] as const;

export type PressureLane = (typeof PRESSURE_LANES)[number];

/** One scheduler and two workers, each a process of its own; a phase kills and replaces workers. */
export interface PressureFleet {
  /** Processor time of all workers, killed ones included, and of the scheduler. Microseconds. */
  usedUs(): { worker: number; scheduler: number };
  /** Kills the first worker (SIGKILL). Again is harmless. */
  killWorker(): void;
  /** Starts a worker in the place of the killed one, and waits until it works. */
  replaceWorker(): Promise<void>;
  /** The errors that processes wrote since the last call, the most frequent kinds first. */
  takeErrors(): string[];
  /** Which processes ended though nobody killed them. */
  deaths: readonly string[];
  stop(): Promise<void>;
}

export async function startPressureFleet(servers: PressureServers, lane: PressureLane): Promise<PressureFleet> {
  const { databaseUrl, redisUrl } = servers;
  const { repeatableUpToMs, horizonMs } = lane;
  const places = createPlaces({ databaseUrl, redisUrl });
  let started = 0;
  const startWorker = (place: number) =>
    places.start(place, './worker-process.js', { index: started++, concurrency: CONCURRENCY, handler: 'noop' });
  for (const place of WORKERS) await startWorker(place);
  await places.start(SCHEDULER, './scheduler-process.js', { index: 0, repeatableUpToMs, horizonMs });
  return {
    usedUs: () => ({
      worker: WORKERS.reduce<number>((sum, place) => sum + places.usedUs(place), 0),
      scheduler: places.usedUs(SCHEDULER),
    }),
    killWorker: () => places.kill(WORKERS[0]),
    replaceWorker: () => startWorker(WORKERS[0]),
    takeErrors: places.takeErrors,
    deaths: places.deaths,
    stop: places.stop,
  };
}
