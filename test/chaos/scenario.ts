import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, seededRandom, systemClock } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { saveTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import {
  afterFile,
  by,
  migrateWithRoles,
  ownPostgres,
  ownRedis,
  type Probe,
  type SourcePatch,
  startProbe,
  startProxy,
  testServers,
} from '@escapement/testkit';
import { Redis } from 'ioredis';
import type { Evidence, FaultWindow, LoadTask } from './evidence.ts';
import type { Fault, Scene } from './faults/index.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { type LedgerView, openLedger } from './ledger.ts';
import { codeTasks, type LoadItem, mixedLoad } from './load.ts';
import { watchQuiet } from './quiet.ts';
import { watchForStalls } from './stalls.ts';
import { startTarget } from './target.ts';

export interface Scenario {
  schedulers: number;
  workers: number;
  /** A lease, and a heartbeat, is believed for so long. Milliseconds. */
  leaseMs: number;
  /** Chooses victims. */
  seed: number;
  size: Scene['size'];
  /** What goes wrong, one after the other: injected, healed, and waited for until all is quiet again. */
  faults: Iterable<Fault>;
  /** Between one fault and the next. Milliseconds. */
  gapMs: number;
  /** Load before the first fault and after the last. Milliseconds. */
  calmMs: number;
  /** How long to wait for all to be quiet after a fault. Milliseconds; default: long beyond the bound. */
  patienceMs?: number;
  /** Guards that are taken away from all processes. */
  patches?: readonly SourcePatch[];
  /** Done to the database before the fleet starts. */
  sql?: string;
  /** Told of each fault when it is over. */
  onFault?: (window: FaultWindow) => void;
}

/** Runs a fleet of real processes on servers of its own under load and faults, stops it in order, and tells what was seen. */
export async function runScenario(scenario: Scenario): Promise<Evidence> {
  const stalls = watchForStalls();
  const probe = await startProbe();
  const { scene, load, savedMs } = await setUp(scenario, probe);
  await delay(scenario.calmMs);
  const faults: FaultWindow[] = [];
  for (const fault of scenario.faults) {
    const window = await suffer(fault, scene);
    faults.push(window);
    scenario.onFault?.(window);
    await delay(scenario.gapMs);
  }
  await scene.fleet.complete();
  await delay(scenario.calmMs);
  const stopped = await stopFleet(scene.fleet);
  await scene.quiet.close();
  const pace = probe.pace();
  probe.stop();
  return {
    tasks: await savedTasks(scene.ledger, load, savedMs),
    runs: await scene.ledger.runs(),
    moves: await scene.ledger.moves(),
    calls: await scene.target.calls(),
    faults: [...faults, ...stalls.stop()].sort((a, b) => a.fromMs - b.fromMs),
    pace,
    leaseMs: scenario.leaseMs,
    members: scene.fleet.members.map((member) => member.record()),
    ...stopped,
  };
}

/** A recovery that takes so long beyond the lease is explained. */
const SLOW_MS = 2 * SECOND;

/** Injects it, heals it, and waits until all is quiet. */
async function suffer(fault: Fault, scene: Scene): Promise<FaultWindow> {
  const { title: name } = fault;
  const fromMs = systemClock.now().getTime();
  try {
    const injury = await fault.inject(scene);
    const { atMs, left } = await scene.quiet.wait();
    const window = { name, recoveredMs: atMs, left, ...injury };
    const isSlow = window.recoveredMs === null || window.recoveredMs > injury.healedMs + scene.leaseMs + SLOW_MS;
    return {
      ...window,
      detail: isSlow ? `${injury.detail}; at last ${window.left.slice(0, 3).join('; ')}` : injury.detail,
    };
  } catch (error) {
    const healedMs = systemClock.now().getTime();
    return { name, fromMs, healedMs, detail: '', failed: error instanceof Error ? error.message : String(error) };
  }
}

async function setUp(scenario: Scenario, probe: Probe) {
  const { leaseMs, size } = scenario;
  const [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  await migrateWithRoles(postgres.url);
  const ledger = openLedger(postgres.url);
  afterFile(() => ledger.close());
  await ledger.keepHistory();
  if (scenario.sql !== undefined) await ledger.sql(scenario.sql);
  const file = join(testServers().home, `reports-${redis.port}`);
  await writeFile(file, '');
  const target = await startTarget(file);
  const fleet = await startFleet(scenario, { databaseUrl: postgres.url, redisUrl: redis.url, targetUrl: target.url });
  const load = mixedLoad(target);
  await saveLoad(postgres.url, load);
  const savedMs = systemClock.now().getTime();
  const relay = await startProxy(redis.url);
  const scene: Scene = {
    postgres,
    redis,
    redisUrl: relay.url,
    redisClient: connect(relay.url),
    fleet,
    ledger,
    target,
    quiet: watchQuiet({ ledger, fleet, redisUrl: relay.url, leaseMs, probe, patienceMs: scenario.patienceMs }),
    random: seededRandom(scenario.seed),
    leaseMs,
    probe,
    size,
    switchRedis(to) {
      scene.redis = to;
      relay.switchTo(to.url);
      fleet.switchRedis(to.url);
    },
  };
  return { scene, load, savedMs };
}

async function startFleet(scenario: Scenario, urls: { databaseUrl: string; redisUrl: string; targetUrl: string }) {
  const workerEnv = {
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_ALLOW_INLINE: 'true',
    ESCAPEMENT_TASKS: codeTasks(),
    ESCAPEMENT_TASK_ENV: 'CHAOS_TARGET',
    CHAOS_TARGET: urls.targetUrl,
  };
  const { leaseMs, patches = [] } = scenario;
  const fleet = createFleet({ ...urls, leaseMs, workerEnv, patches });
  await Promise.all([
    ...Array.from({ length: scenario.schedulers }, () => fleet.start('scheduler')),
    ...Array.from({ length: scenario.workers }, () => fleet.start('worker')),
  ]);
  return fleet;
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
  const context = { source: 'chaos', by: by('chaos'), egress: parseEgress('loopback') };
  for (const { input } of load) if (input) await saveTask(db, input, context);
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
