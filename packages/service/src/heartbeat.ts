import { type Clock, type Emit, MINUTE } from '@escapement/core';
import { type Database, endProcess, type HeartbeatAnswer, type ProcessInfo, writeHeartbeat } from '@escapement/store';
import { createDatabaseClock } from './database-clock.ts';
import { createLoop, type Service } from './loop.ts';

/** Time between two heartbeats at most; less where a lease is so short that two of them would not fit. */
const HEARTBEAT_MS = 2000;
/** How soon it is noticed that the clock was set, or that heartbeats fail. */
const WATCH_MS = 250;
/** A clock that stays off is told of again after this time. */
const REMIND_MS = 5 * MINUTE;

export interface HeartbeatOptions {
  db: Database;
  process: ProcessInfo;
  clock: Clock;
  emit: Emit;
  onError: (error: unknown) => void;
  /** The runs that are active in this process; empty for a scheduler. */
  activeRuns: () => readonly string[];
  /** Of a scheduler: milliseconds since its planner last completed a pass; null: it has not. Default: not told. */
  plannedAgeMs?: () => number | null;
  /** A clock further off Postgres' takes no work. Milliseconds. */
  maxClockOffsetMs: number;
  /** Told with each heartbeat of which of its pools the process is to take nothing. */
  onHeldPools?: (pools: readonly string[]) => void;
  /** Told that the ledger is a copy that lacks what has run since: it was restored while this process ran. */
  onRestored?: (() => void) | undefined;
  /** Told of each heartbeat that was confirmed. */
  onConfirmed?: () => void;
  /** Told again and again, four times a second, while no heartbeat has been confirmed for `failingAfterMs`. */
  onFailing?: () => void;
  /** How long without a confirmed heartbeat that is. Milliseconds. */
  failingAfterMs: number;
}

export interface Heartbeat extends Service {
  /** Postgres' clock as far as this process can tell; null before the first heartbeat. */
  databaseNow(): Date | null;
  /** This process' clock less Postgres'; null before the first heartbeat. */
  offsetMs(): number | null;
  /** Whether the clock may be trusted with work. */
  clockOk(): boolean;
  /** For how long heartbeats have been getting through without a gap; 0: they are not. */
  steadyMs(): number;
  /** Whether the runs of this process are still provably its own. */
  fresh(): boolean;
}

function stateOf({ activeRuns, plannedAgeMs }: HeartbeatOptions, clockOffsetMs: number | null) {
  return { activeRuns: activeRuns(), clockOffsetMs, plannedAgeMs: plannedAgeMs?.() ?? null };
}

function tellConfirmed({ onHeldPools, onConfirmed, onRestored }: HeartbeatOptions, answer: HeartbeatAnswer): void {
  onHeldPools?.(answer.heldPools);
  onConfirmed?.();
  if (answer.restored) onRestored?.();
}

/** Says every two seconds that the process lives and which runs are active in it, and measures the clock on the way. */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { db, process, clock, emit, failingAfterMs } = options;
  const database = createDatabaseClock(clock, options.maxClockOffsetMs);
  const heartbeatMs = Math.min(HEARTBEAT_MS, failingAfterMs / 3);
  let toldOffMs: number | null = null;
  let lastSentMs: number | null = null;
  let steadySinceMs: number | null = null;
  let saidFailing = false;
  let watch: NodeJS.Timeout | undefined;

  function checkClock(): void {
    const offsetMs = database.offsetMs();
    if (offsetMs === null) return;
    if (database.ok()) {
      if (toldOffMs !== null) emit({ event: 'clock_ok', offsetMs });
      toldOffMs = null;
    } else if (toldOffMs === null || clock.monotonicMs() - toldOffMs >= REMIND_MS) {
      toldOffMs = clock.monotonicMs();
      emit({ event: 'clock_off', offsetMs, maxMs: options.maxClockOffsetMs });
    }
  }

  async function runOnce(): Promise<number> {
    const sentMs = clock.monotonicMs();
    const answer = await writeHeartbeat(db, process, stateOf(options, database.offsetMs()));
    tellConfirmed(options, answer);
    database.measure(answer.now, sentMs, clock.monotonicMs());
    checkClock();
    if (lastSentMs === null || sentMs - lastSentMs > failingAfterMs) steadySinceMs = sentMs;
    lastSentMs = sentMs;
    // The answer to a heartbeat that was long on its way proves nothing yet.
    if (saidFailing && fresh()) emit({ event: 'heartbeat_ok' });
    saidFailing &&= !fresh();
    return heartbeatMs;
  }

  function fresh(): boolean {
    return lastSentMs !== null && clock.monotonicMs() - lastSentMs < failingAfterMs;
  }

  function checkFailing(): void {
    if (lastSentMs === null || fresh()) return;
    options.onFailing?.();
    if (saidFailing) return;
    saidFailing = true;
    const sinceMs = Math.round(clock.monotonicMs() - lastSentMs);
    emit({ event: 'heartbeat_failing', sinceMs, activeRuns: options.activeRuns().length });
  }

  const loop = createLoop({
    name: 'heartbeat',
    runOnce,
    onError: options.onError,
    clock,
    backoff: { minMs: Math.min(250, heartbeatMs), maxMs: heartbeatMs },
  });

  return {
    ...loop,
    start() {
      loop.start();
      watch ??= setInterval(() => {
        checkClock();
        checkFailing();
      }, WATCH_MS);
      watch.unref();
    },
    async stop() {
      clearInterval(watch);
      watch = undefined;
      await loop.stop();
      await endProcess(db, process.id).catch(options.onError);
    },
    databaseNow: database.now,
    offsetMs: database.offsetMs,
    clockOk: database.ok,
    steadyMs: () => (fresh() && steadySinceMs !== null ? clock.monotonicMs() - steadySinceMs : 0),
    fresh,
  };
}
