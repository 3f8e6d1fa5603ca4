import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@escapement/core';
import { saveTask } from '@escapement/engine';
import { migrate, openDatabase } from '@escapement/store';
import { afterFile, ownPostgres, ownRedis, testServers } from '@escapement/testkit';
import { Redis } from 'ioredis';
import type { Evidence, FaultWindow, LoadTask } from './evidence.ts';
import type { Fault, Scene } from './faults.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { type LedgerView, openLedger } from './ledger.ts';
import { CODE_TASKS, type LoadItem, mixedLoad } from './load.ts';
import { watchForStalls } from './stalls.ts';
import { startTarget } from './target.ts';

export interface Scenario {
  schedulers: number;
  workers: number;
  /** How long the load lasts. Milliseconds. */
  loadMs: number;
  /** A lease, and a heartbeat, is believed for so long. Milliseconds. */
  leaseMs: number;
  /** What goes wrong, in order; each no sooner than `atMs` after the load began. */
  faults: readonly { atMs: number; fault: Fault }[];
}

/** Runs a fleet of real processes on servers of its own under load and faults, stops it in order, and tells what was seen. */
export async function runScenario(scenario: Scenario): Promise<Evidence> {
  const stalls = watchForStalls();
  const { scene, load, target } = await setUp(scenario);
  const savedMs = systemClock.now().getTime();
  const startedMs = systemClock.monotonicMs();
  const faults: FaultWindow[] = [];
  for (const { atMs, fault } of scenario.faults) {
    await until(startedMs + atMs);
    faults.push(await fault.inject(scene));
  }
  await until(startedMs + scenario.loadMs);
  const stopped = await stopFleet(scene.fleet);
  return {
    tasks: await savedTasks(scene.ledger, load, savedMs),
    runs: await scene.ledger.runs(),
    moves: await scene.ledger.moves(),
    calls: await target.calls(),
    faults: [...faults, ...stalls.stop()].sort((a, b) => a.fromMs - b.fromMs),
    members: scene.fleet.members.map((member) => member.record()),
    ...stopped,
  };
}

async function setUp(scenario: Scenario) {
  const { leaseMs } = scenario;
  const [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  await migrate(postgres.url);
  const ledger = openLedger(postgres.url);
  afterFile(() => ledger.close());
  await ledger.keepHistory();
  const file = join(testServers().home, `reports-${redis.port}`);
  await writeFile(file, '');
  const target = await startTarget(file);
  const workerEnv = { ESCAPEMENT_ALLOW_SHELL: 'true', ESCAPEMENT_TASKS: CODE_TASKS, CHAOS_TARGET: target.url };
  const fleet = createFleet({ databaseUrl: postgres.url, redisUrl: redis.url, leaseMs, workerEnv });
  await Promise.all([
    ...Array.from({ length: scenario.schedulers }, () => fleet.start('scheduler')),
    ...Array.from({ length: scenario.workers }, () => fleet.start('worker')),
  ]);
  const load = mixedLoad(target);
  await saveLoad(postgres.url, load);
  const scene: Scene = { postgres, redis, redisClient: connect(redis.url), fleet, ledger, leaseMs };
  return { scene, load, target };
}

/** A task is due from when it was saved on; when that was the ledger says, but it cannot have been later than the save. */
async function savedTasks(ledger: LedgerView, load: readonly LoadItem[], savedMs: number): Promise<LoadTask[]> {
  const effective = await ledger.effective();
  return load.map(({ input: _, ...task }) => {
    const effectiveMs = effective.get(task.name) ?? Number.POSITIVE_INFINITY;
    if (effectiveMs > savedMs)
      throw new Error(`task ${task.name} took effect ${effectiveMs - savedMs} ms after its save`);
    return { ...task, effectiveMs };
  });
}

function connect(url: string): Redis {
  const redis = new Redis(url, { retryStrategy: () => 100 });
  redis.on('error', () => undefined);
  afterFile(() => redis.disconnect());
  return redis;
}

async function saveLoad(url: string, load: readonly LoadItem[]): Promise<void> {
  const db = openDatabase({ url, applicationName: 'chaos load' });
  for (const { input } of load) if (input) await saveTask(db, input, { source: 'chaos', who: 'chaos' });
  await db.close();
}

/** Workers first, under load, then the schedulers that would plan for them. */
async function stopFleet(fleet: Fleet): Promise<{ workersStopMs: number; schedulersStopMs: number }> {
  const workersStopMs = systemClock.now().getTime();
  await Promise.all(fleet.alive('worker').map((worker) => worker.stop()));
  const schedulersStopMs = systemClock.now().getTime();
  await Promise.all(fleet.alive('scheduler').map((scheduler) => scheduler.stop()));
  return { workersStopMs, schedulersStopMs };
}

async function until(monotonicMs: number): Promise<void> {
  await delay(Math.max(0, monotonicMs - systemClock.monotonicMs()));
}
