import { type Clock, formatSpan, SECOND, systemClock } from '@escapement/core';
import type { Logger } from './logger.ts';
import { systemTimer, type Timer } from './timer.ts';

/** A server that a process needs. */
export interface WatchedServer {
  /** As lines name it: `Postgres`. */
  name: string;
  /** Whether an error may mean that it is away. `who` met the error. */
  suspects(error: unknown, who: string): boolean;
  /** Resolves when it answers, and rejects within seconds when it does not. */
  ask(): Promise<unknown>;
}

/** A line that waits for the verdict on the server that it may be about. */
export interface Trouble {
  who: string;
  error: unknown;
  atMs: number;
}

export interface ServerWatch {
  readonly server: WatchedServer;
  /** Whether the line is one of an outage: the first one is written in words of its own, the others are counted. */
  counts(trouble: Trouble): Promise<boolean>;
  stop(): void;
}

export interface ServerWatchOptions {
  server: WatchedServer;
  log: Logger;
  clock?: Clock;
  timer?: Timer;
}

interface Outage {
  fromMs: number;
  /** Since when it answers again. Undefined: it does not. */
  answersMs: number | undefined;
  /** Lines that were not written, by who would have written them. */
  hidden: Map<string, number>;
  /** One came since the last look. */
  noisy: boolean;
}

const LOOK_MS = SECOND;
/** Statements that the outage cut may fail so long after it; whatever comes later is written again. */
const SETTLE_MS = 5 * SECOND;
const SHOWN = 5;

/** Knows whether a server is away: an error raises the suspicion, and the server's own silence decides. */
export function createServerWatch(options: ServerWatchOptions): ServerWatch {
  const { server, log, clock = systemClock, timer = systemTimer } = options;
  let asking: Promise<boolean> | undefined;
  let outage: Outage | undefined;
  let cancelLook: (() => void) | undefined;
  let stopped = false;

  function ask(): Promise<boolean> {
    asking ??= server
      .ask()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  /** A question that was put before the error came proves nothing where its answer is good. */
  async function isAway(): Promise<boolean> {
    if (!outage && asking && !(await asking)) return true;
    return outage !== undefined || !(await ask());
  }

  function begin({ who, error, atMs }: Trouble): void {
    outage = { fromMs: atMs, answersMs: undefined, hidden: new Map(), noisy: false };
    log.error(
      { component: who, err: error },
      `${server.name} does not answer: further errors of it are counted, and not written until it does`,
    );
    look();
  }

  function look(): void {
    cancelLook = timer.after(LOOK_MS, () => void lookAgain());
  }

  async function lookAgain(): Promise<void> {
    const answers = await ask();
    if (!outage) return;
    const nowMs = clock.monotonicMs();
    const { noisy } = outage;
    outage.noisy = false;
    outage.answersMs = answers ? (outage.answersMs ?? nowMs) : undefined;
    const settled = outage.answersMs !== undefined && (!noisy || nowMs - outage.answersMs >= SETTLE_MS);
    if (settled) end(outage, outage.answersMs ?? nowMs);
    else look();
  }

  function end({ fromMs, hidden }: Outage, answersMs: number, what = 'answers again'): void {
    outage = undefined;
    const count = [...hidden.values()].reduce((sum, each) => sum + each, 0);
    const loudest = [...hidden].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
    const awayMs = answersMs - fromMs;
    const errors = count === 1 ? '1 error was' : `${count.toLocaleString('en-US')} errors were`;
    log.info(
      { awayMs: Math.round(awayMs), ...(count > 0 && { notWritten: Object.fromEntries(loudest) }) },
      `${server.name} ${what} after ${formatSpan(awayMs)}; ${errors} not written`,
    );
  }

  return {
    server,
    async counts(trouble) {
      if (!(await isAway())) return false;
      if (stopped) return false;
      if (!outage) begin(trouble);
      else {
        outage.noisy = true;
        outage.hidden.set(trouble.who, (outage.hidden.get(trouble.who) ?? 0) + 1);
      }
      return true;
    },
    stop() {
      stopped = true;
      cancelLook?.();
      if (outage) end(outage, clock.monotonicMs(), 'still does not answer');
    },
  };
}
