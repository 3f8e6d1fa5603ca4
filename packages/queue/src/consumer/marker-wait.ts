import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, SECOND, systemClock } from '@escapement/core';
import type { Redis } from 'ioredis';
import { toError } from '../redis/connection.ts';

/**
 * No command blocks for longer: a link that was cut silently is found by the socket's time limit (5 s), so Redis has to
 * say something every two seconds.
 */
const MAX_BLOCK_MS = 2 * SECOND;
/** An answer that is so late will never come: the connection is made anew. */
const HUNG_MS = 1 * SECOND;
/** Between two attempts to end a command that has not come to Redis yet. */
const AGAIN_MS = 1;
/** After a command has failed. */
const BACKOFF_MS = 100;
/**
 * A queue that has found work asks again as soon as it has taken that. So long it is waited for, so that the next command is for all: else
 * each run would cost a command that is broken off.
 */
const REJOIN_MS = 3;

export interface Marker {
  member: string;
  /** Until when there is nothing to do, as Unix time in milliseconds; 0: there is something now. */
  score: number;
}

/**
 * Waits for work in any queue of a process, by one blocking command on one connection: BullMQ leaves a marker where there is work. A
 * queue that has found some is not waited for until it asks again, so that the markers of work that it has no place for are for others.
 */
export interface MarkerWait {
  /**
   * Resolves with the marker that it has taken, or with null: the time is over, an answer was lost and with it maybe a marker, or there is
   * something for which this process has no room. That marker is left for others.
   */
  wait(marker: string, ms: number, asking: Asking): Promise<Marker | null>;
  /** Ends the wait for this marker, if there is one. */
  release(marker: string): void;
  /** Ends all waits, and cuts the connection. */
  close(): void;
}

/** The side of who waits. */
export interface Asking {
  /** Told whenever Redis has answered. */
  heard(): void;
  /** Whether there is a place for what a marker tells of. */
  hasRoom(): boolean;
}

/** Told to who shall not look for work. */
const NOTHING: Marker = { member: '', score: Number.POSITIVE_INFINITY };

/** Nobody knows what a command has done. */
const LOST = Symbol('no answer');

interface Waiter {
  untilMs: number;
  asking: Asking;
  resolve: (marker: Marker | null) => void;
}

/** `blocking` is for this alone; `control` is told when another marker is waited for. */
export function createMarkerWait(
  { blocking, control }: { blocking: Redis; control: Redis },
  onError: (error: Error) => void,
  clock: Clock = systemClock,
): MarkerWait {
  const waiters = createWaiters();
  let looping = false;
  let closed = false;
  /** What the command under way will not wake for, or not in time. */
  let misses: ((marker: string, untilMs: number) => boolean) | undefined;
  /** Blocking commands that have ended. */
  let commands = 0;
  /** Undefined: not known on this connection. */
  let clientId: Promise<number | undefined> | undefined;
  const rejoin = createRejoin();
  blocking.on('close', () => {
    clientId = undefined;
  });

  /** Ends the command under way, so that the next one waits for all. Should it fail, that comes in two seconds. */
  async function interrupt(): Promise<void> {
    misses = undefined;
    const ended = commands;
    await unblock(control, await clientId, () => closed || commands > ended);
  }

  async function failed(error: unknown): Promise<typeof LOST> {
    clientId = undefined;
    if (closed) return LOST;
    onError(toError(error));
    await sleep(BACKOFF_MS);
    return LOST;
  }

  async function block(): Promise<void> {
    const markers = waiters.markers();
    const blockMs = Math.max(1, Math.min(waiters.firstEndMs() - clock.monotonicMs(), MAX_BLOCK_MS));
    clientId ??= blocking.client('ID').catch(() => undefined);
    const endsMs = clock.monotonicMs() + blockMs;
    misses = (marker, untilMs) => !markers.includes(marker) || untilMs < endsMs;
    const reply = await withinTime(blocking, blocking.bzpopmin(...markers, blockMs / 1000), blockMs + HUNG_MS).catch(
      failed,
    );
    misses = undefined;
    commands += 1;
    // It may have taken a marker, and nobody would be told of that work: who waited asks.
    if (reply === LOST) return waiters.settleAll(markers, null);
    for (const marker of markers) waiters.of(marker)?.asking.heard();
    if (!reply) return;
    const [marker = '', member = '', score = '0'] = reply;
    const isTaken = waiters.of(marker)?.asking.hasRoom() ?? false;
    const wasAwaited = waiters.settle(marker, isTaken ? { member, score: Number(score) } : null);
    // It has no room, or has stopped waiting meanwhile: what it was to be told is for others.
    if (!isTaken) await control.zadd(marker, score, member);
    if (wasAwaited && waiters.size > 0) await rejoin.of(marker);
  }

  async function loop(): Promise<void> {
    looping = true;
    while (waiters.size > 0 && !closed) {
      await block().catch(failed);
      waiters.settleAll(waiters.endedBy(clock.monotonicMs()), null);
    }
    looping = false;
  }

  return {
    wait(marker, ms, asking) {
      return new Promise((resolve) => {
        if (closed) return resolve(NOTHING);
        // That of a worker that was replaced.
        waiters.settle(marker, NOTHING);
        const untilMs = clock.monotonicMs() + ms;
        waiters.add(marker, { untilMs, asking, resolve });
        rejoin.come(marker);
        if (!looping) void loop();
        else if (misses?.(marker, untilMs)) interrupt().catch(() => undefined);
      });
    },
    release: (marker) => void waiters.settle(marker, NOTHING),
    close() {
      closed = true;
      waiters.settleAll(waiters.markers(), NOTHING);
      blocking.disconnect();
    },
  };
}

/**
 * Ends what a connection is blocked by. This goes by another one, and may come to Redis before the blocking command does: then nothing was
 * ended, and it is said again.
 */
async function unblock(control: Redis, id: number | undefined, isOver: () => boolean): Promise<void> {
  while (id !== undefined && !isOver()) {
    if (Number(await control.client('UNBLOCK', id)) > 0) return;
    await sleep(AGAIN_MS);
  }
}

/** Who waits, by what marker. */
function createWaiters() {
  const waiters = new Map<string, Waiter>();

  function settle(marker: string, found: Marker | null): boolean {
    const waiter = waiters.get(marker);
    waiters.delete(marker);
    waiter?.resolve(found);
    return waiter !== undefined;
  }

  return {
    get size() {
      return waiters.size;
    },
    of: (marker: string) => waiters.get(marker),
    markers: () => [...waiters.keys()],
    add: (marker: string, waiter: Waiter) => void waiters.set(marker, waiter),
    firstEndMs: () => Math.min(...[...waiters.values()].map(({ untilMs }) => untilMs)),
    endedBy: (nowMs: number) => [...waiters].filter(([, { untilMs }]) => untilMs <= nowMs).map(([marker]) => marker),
    /** False: nobody waits for it. */
    settle,
    settleAll(markers: readonly string[], found: Marker | null): void {
      for (const marker of markers) settle(marker, found);
    },
  };
}

function createRejoin() {
  let awaited: { marker: string; go: () => void } | undefined;
  return {
    /** Resolves when the queue of this marker waits again, or after a moment. */
    async of(marker: string): Promise<void> {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, REJOIN_MS);
        awaited = { marker, go: () => resolve(clearTimeout(timer)) };
      });
      awaited = undefined;
    },
    come(marker: string): void {
      if (awaited?.marker === marker) awaited.go();
    },
  };
}

/**
 * A command that is never answered, as on a link that was cut, ends with its connection; a new one is made. What has come while this
 * process did nothing, as on a busy machine, is read first.
 */
async function withinTime<Reply>(client: Redis, command: Promise<Reply>, ms: number): Promise<Reply | typeof LOST> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  // By bare timers: a process at work comes by here for each run, and a signal that is aborted makes an error with its stack.
  const hung = new Promise<typeof LOST>((resolve) => {
    const giveUp = () => {
      if (isOver) return;
      client.disconnect(true);
      resolve(LOST);
    };
    timer = setTimeout(() => setImmediate(giveUp).unref(), ms).unref();
  });
  try {
    return await Promise.race([command, hung]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    command.catch(() => undefined);
  }
}
