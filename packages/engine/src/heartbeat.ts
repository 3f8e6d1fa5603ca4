import type { Clock } from '@escapement/core';
import { createLoop, type Service } from '@escapement/service';
import { beat, type Database, endProcess, type ProcessInfo } from '@escapement/store';
import type { Emit } from './events.ts';

/** Time between two beats. */
export const BEAT_MS = 2000;

export interface HeartbeatOptions {
  db: Database;
  process: ProcessInfo;
  clock: Clock;
  emit: Emit;
  onError: (error: unknown) => void;
  /** The runs this process holds; empty for a scheduler. */
  held: () => readonly string[];
  /** A clock further off Postgres' takes no work. Milliseconds. */
  maxClockOffsetMs: number;
  /** Told once when no beat has been confirmed for so long that others may take the runs over. */
  onOverdue?: () => void;
  /** How long without a confirmed beat that is. Milliseconds. */
  overdueMs: number;
}

export interface Heartbeat extends Service {
  /** Postgres' clock as far as this process can tell; null before the first beat. */
  databaseNow(): Date | null;
  /** This process' clock less Postgres'; null before the first beat. */
  offsetMs(): number | null;
  /** Whether the clock may be trusted with work. */
  clockOk(): boolean;
  /** For how long beats have been getting through without a gap; 0: they are not. */
  steadyMs(): number;
  /** Whether the runs of this process are still provably its own. */
  fresh(): boolean;
}

/** Says every two seconds that the process lives and which runs it holds, and measures the clock on the way. */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { db, process, clock, emit, overdueMs } = options;
  let offsetMs: number | null = null;
  let clockWasOk = true;
  let lastSentMs: number | null = null;
  let steadySinceMs: number | null = null;
  let saidOverdue = false;
  let watch: NodeJS.Timeout | undefined;

  function clockOk(): boolean {
    return offsetMs !== null && Math.abs(offsetMs) <= options.maxClockOffsetMs;
  }

  function measure(now: Date, localBefore: number, roundTripMs: number): void {
    offsetMs = Math.round(localBefore + roundTripMs / 2 - now.getTime());
    if (clockOk() !== clockWasOk) {
      clockWasOk = clockOk();
      if (clockWasOk) emit({ event: 'clock_ok', offsetMs });
      else emit({ event: 'clock_off', offsetMs, maxMs: options.maxClockOffsetMs });
    }
  }

  async function runOnce(): Promise<number> {
    const sentMs = clock.monotonicMs();
    const localBefore = clock.now().getTime();
    const { now } = await beat(db, process, { held: options.held(), clockOffsetMs: offsetMs });
    measure(now, localBefore, clock.monotonicMs() - sentMs);
    if (lastSentMs === null || sentMs - lastSentMs > overdueMs) steadySinceMs = sentMs;
    lastSentMs = sentMs;
    saidOverdue = false;
    return BEAT_MS;
  }

  function fresh(): boolean {
    return lastSentMs !== null && clock.monotonicMs() - lastSentMs < overdueMs;
  }

  function checkOverdue(): void {
    if (lastSentMs === null || fresh() || saidOverdue) return;
    saidOverdue = true;
    emit({
      event: 'beat_overdue',
      sinceMs: Math.round(clock.monotonicMs() - lastSentMs),
      heldRuns: options.held().length,
    });
    options.onOverdue?.();
  }

  const loop = createLoop({
    name: 'heartbeat',
    runOnce,
    onError: options.onError,
    clock,
    backoff: { minMs: 250, maxMs: BEAT_MS },
  });

  return {
    ...loop,
    start() {
      loop.start();
      watch ??= setInterval(checkOverdue, 250);
      watch.unref();
    },
    async stop() {
      clearInterval(watch);
      watch = undefined;
      await loop.stop();
      await endProcess(db, process.id).catch(options.onError);
    },
    databaseNow: () => (offsetMs === null ? null : new Date(clock.now().getTime() - offsetMs)),
    offsetMs: () => offsetMs,
    clockOk,
    steadyMs: () => (fresh() && steadySinceMs !== null ? clock.monotonicMs() - steadySinceMs : 0),
    fresh,
  };
}
