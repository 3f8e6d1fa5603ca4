import { hostname } from 'node:os';
import { DAY, type EngineEvent, type HandlerLookup, LEASE_MS, offersUnder } from '@escapement/core';
import { createScheduler } from '@escapement/scheduler';
import { type Database, ensurePartitions, type ProcessInfo, rateHint, WAKE_CHANNEL } from '@escapement/store';
import { createWorker } from '@escapement/worker';
import type { FleetClock } from './fleet-clock.ts';
import { moveDatabase } from './movable-time.ts';

/** Runs are planned when they are due: what is in the queue when time is put forward would wait for its old delay. */
const HORIZON_MS = 20;
const CONCURRENCY = 20;
/** Partitions are made for so many days from where the time is, as schedulers do. */
const AHEAD_DAYS = 21;
const MAX_PROBLEMS = 20;

export interface FleetProcessesOptions {
  db: Database;
  redisUrl: string;
  pools: readonly string[];
  handlers: HandlerLookup;
  clock: FleetClock;
}

/** A scheduler and a worker as they run in a fleet, in this process. */
export interface FleetProcesses {
  /** What went wrong beside the runs, in words; the latest few. */
  readonly problems: readonly string[];
  start(): Promise<void>;
  /** The time is `at` for all of them, if it is not later already. Nothing may be under way. */
  moveTo(at: Date): Promise<void>;
  stop(): Promise<void>;
}

export function createFleetProcesses({ db, redisUrl, pools, handlers, clock }: FleetProcessesOptions): FleetProcesses {
  const problems: string[] = [];
  const note = (problem: string) => {
    if (problems.push(problem) > MAX_PROBLEMS) problems.shift();
  };
  const common = {
    db,
    redis: { url: redisUrl, namespace: db.namespace },
    leaseMs: LEASE_MS,
    maxClockOffsetMs: 500,
    clock,
    emit: (event: EngineEvent) => {
      if ('error' in event && event.error) note(`${event.event}: ${String(event.error)}`);
    },
    onError: (error: unknown) => note(String(error)),
  };
  const scheduler = createScheduler({
    ...common,
    process: processInfo('scheduler', []),
    horizonMs: HORIZON_MS,
    // Steady intervals as well: the repeatable lane goes by the clock of its Redis client.
    repeatable: { fromMs: 0, toMs: 0 },
  });
  const worker = createWorker({ ...common, process: processInfo('worker', pools), handlers, concurrency: CONCURRENCY });

  /** The scheduler has made those of the first days. */
  let partitionsUntilMs = clock.now().getTime() + AHEAD_DAYS * DAY;

  async function makePartitions(at: Date): Promise<void> {
    if (at.getTime() < partitionsUntilMs - DAY) return;
    const from = new Date(partitionsUntilMs);
    partitionsUntilMs = at.getTime() + AHEAD_DAYS * DAY;
    await ensurePartitions(db, from, Math.ceil((partitionsUntilMs - from.getTime()) / DAY));
  }

  async function moveTo(at: Date): Promise<void> {
    const byMs = Math.ceil(at.getTime() - clock.now().getTime());
    if (byMs <= 0) return;
    await makePartitions(at);
    // First here: a delay that is counted from the later time is too short at worst, one from the earlier would never end.
    clock.putForward(byMs);
    await moveDatabase(db, { aheadMs: clock.aheadMs, byMs });
    await Promise.all([scheduler.heartbeat.runOnce(), worker.heartbeat.runOnce()]);
    for (const hint of [db.namespace, rateHint(db)])
      await db.pool.query('SELECT pg_notify($1, $2)', [WAKE_CHANNEL, hint]);
  }

  return {
    problems,
    async start() {
      await Promise.all([scheduler.start(), worker.start()]);
    },
    moveTo,
    async stop() {
      await worker.stop(0);
      await scheduler.stop();
    },
  };
}

function processInfo(role: ProcessInfo['role'], pools: readonly string[]): ProcessInfo {
  const name = `test-${role}`;
  return {
    id: name,
    name,
    role,
    host: hostname(),
    pid: process.pid,
    appVersion: 'test',
    pools,
    offers: offersUnder(name, ['shell', 'code']),
  };
}
