import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, systemClock } from '@escapement/core';
import type { OwnServer } from '@escapement/testkit';
import type { Redis } from 'ioredis';
import type { FaultWindow } from './evidence.ts';
import type { Fleet, Member, Role } from './fleet.ts';
import type { LedgerView } from './ledger.ts';

/** What a fault may be done to. */
export interface Scene {
  postgres: OwnServer;
  redis: OwnServer;
  /** A connection of the test's own. */
  redisClient: Redis;
  fleet: Fleet;
  ledger: LedgerView;
  leaseMs: number;
}

/** One thing that goes wrong, and its healing. */
export interface Fault {
  name: string;
  /** Does it, heals it, and says from when to when it lasted. */
  inject(scene: Scene): Promise<FaultWindow>;
}

/** Everything in Redis is gone at once: jobs, leases, scripts. Nothing needs healing. */
export const redisFlushed: Fault = {
  name: 'Redis flushed',
  async inject({ redisClient }) {
    const fromMs = nowMs();
    const keys = await redisClient.dbsize();
    await redisClient.flushall();
    return { name: this.name, fromMs, healedMs: nowMs(), detail: `${keys} keys gone` };
  },
};

/** Redis is away for a while and comes back with what it had, old leases and half-done jobs among it. */
export const redisRestarted: Fault = outage('Redis restarted, data kept', ({ redis }) => redis, 4 * SECOND);

/** Postgres ends its sessions, is away for a while, and comes back. */
export const postgresRestarted: Fault = outage('Postgres restarted', ({ postgres }) => postgres, 4 * SECOND);

/** kill -9 to a scheduler; another takes its place. The others go on, so that there is nothing to wait for. */
export const schedulerKilled: Fault = {
  name: 'scheduler killed',
  async inject({ fleet }) {
    const victim = anyOf(fleet.alive('scheduler'));
    const fromMs = nowMs();
    await victim.kill();
    const detail = await replace(fleet, victim);
    return { name: this.name, fromMs, healedMs: fromMs, detail };
  },
};

/** The run that a worker must hold when it is killed, so that the fault bites. */
const SLOW_TASK = 'slow';
/** It runs for longer than that, so that it cannot end by itself before the kill. */
const FRESH_MS = 1 * SECOND;
const HUNT_MS = 20 * SECOND;

/** kill -9 to a worker in the midst of a run. Until its lease has passed nobody may take its runs and keys. */
export const workerKilled: Fault = {
  name: 'worker killed',
  async inject({ fleet, ledger, leaseMs }) {
    const victim = await busyWorker(fleet, ledger);
    const fromMs = nowMs();
    await victim.kill();
    const runs = await ledger.heldBy(victim.instance);
    const replaced = await replace(fleet, victim);
    const detail = `${replaced}; it held ${runs.length} runs`;
    return { name: this.name, fromMs, healedMs: fromMs + leaseMs, detail, killed: { worker: victim.instance, runs } };
  },
};

async function busyWorker(fleet: Fleet, ledger: LedgerView): Promise<Member> {
  for (const endMs = nowMs() + HUNT_MS; nowMs() < endMs; await delay(50)) {
    const running = await ledger.running(SLOW_TASK, FRESH_MS);
    const found = fleet.alive('worker').find(({ instance }) => running.some(({ worker }) => worker === instance));
    if (found) return found;
  }
  throw new Error(`no worker had a run of task ${SLOW_TASK} for ${HUNT_MS} ms`);
}

async function replace(fleet: Fleet, victim: { name: string; role: Role }): Promise<string> {
  const startedMs = systemClock.monotonicMs();
  const heir = await fleet.start(victim.role);
  const seconds = ((systemClock.monotonicMs() - startedMs) / SECOND).toFixed(1);
  return `${victim.name} replaced by ${heir.name} within ${seconds} s`;
}

function outage(name: string, serverOf: (scene: Scene) => OwnServer, awayMs: number): Fault {
  return { name, inject: async (scene) => ({ ...(await outageOf(serverOf(scene), awayMs)), name }) };
}

async function outageOf(server: OwnServer, awayMs: number): Promise<Omit<FaultWindow, 'name'>> {
  const fromMs = nowMs();
  await server.stop();
  await delay(awayMs);
  await server.start();
  const healedMs = nowMs();
  return { fromMs, healedMs, detail: `away for ${((healedMs - fromMs) / SECOND).toFixed(1)} s` };
}

function anyOf<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nobody is left to do this to');
  return item;
}

function nowMs(): number {
  return systemClock.now().getTime();
}
