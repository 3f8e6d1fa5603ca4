import { setTimeout as delay } from 'node:timers/promises';
import { type Random, SECOND, systemClock } from '@escapement/core';
import type { OwnServer, Probe } from '@escapement/testkit';
import type { Redis } from 'ioredis';
import type { FaultWindow } from '../evidence.ts';
import type { Fleet, Member } from '../fleet.ts';
import type { LedgerView } from '../ledger.ts';
import type { QuietWatch } from '../quiet.ts';
import type { Target } from '../target.ts';

/** What a fault may be done to. */
export interface Scene {
  postgres: OwnServer;
  /** The one that the fleet uses now. */
  redis: OwnServer;
  /** Connections of the test's own, to whatever Redis the fleet uses now. */
  redisClient: Redis;
  redisUrl: string;
  fleet: Fleet;
  ledger: LedgerView;
  target: Target;
  quiet: QuietWatch;
  random: Random;
  leaseMs: number;
  /** How much of the processors there is for all of this. */
  probe: Probe;
  /** Faults are as large and as long as the issue asks for, or as small as they can be. */
  size: 'small' | 'full';
  /** Everybody who talks to Redis talks to this one from now on. */
  switchRedis(to: OwnServer): void;
}

export type Injury = Omit<FaultWindow, 'name'>;

/** One thing that goes wrong, and its healing. */
export interface Fault {
  /** For the command line: `worker-killed`. */
  name: string;
  title: string;
  /** Why it cannot be done here; undefined: it can. */
  unavailable?: () => string | undefined;
  /** Does it, heals it, and says from when to when it lasted. Throws where it could not be done or did not bite. */
  inject(scene: Scene): Promise<Injury>;
}

export function nowMs(): number {
  return systemClock.now().getTime();
}

/** Does something to a server for a while. */
export async function during(forMs: number, begin: () => unknown, end: () => unknown): Promise<Injury> {
  const fromMs = nowMs();
  await begin();
  await delay(forMs);
  await end();
  const healedMs = nowMs();
  return { fromMs, healedMs, detail: `for ${((healedMs - fromMs) / SECOND).toFixed(1)} s` };
}

/** The run that a worker must hold, so that a fault bites: it lasts long enough. */
const SLOW_TASK = 'slow';
/** It runs for longer than that, so that it cannot end by itself before the fault. */
const FRESH_MS = 1 * SECOND;
const HUNT_MS = 20 * SECOND;

/** A worker that has just begun a run that lasts for some seconds. */
export async function busyWorker({ fleet, ledger, probe }: Scene): Promise<Member> {
  const found = await lookFor(probe, HUNT_MS, async () => {
    const running = await ledger.running(SLOW_TASK, FRESH_MS);
    return fleet.alive('worker').find(({ instance }) => running.some(({ worker }) => worker === instance));
  });
  if (!found) throw new Error(`no worker had a run of task ${SLOW_TASK} for ${HUNT_MS} ms`);
  return found;
}

/** Looks again and again, until there is something, or so many fair milliseconds have passed. */
export async function lookFor<Found>(
  probe: Probe,
  fairMs: number,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (const isOver = probe.patience(fairMs); ; await delay(50)) {
    const found = await look();
    if (found !== undefined || isOver()) return found;
  }
}
