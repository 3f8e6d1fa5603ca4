import { setTimeout as sleep } from 'node:timers/promises';
import { type Emit, SECOND, systemClock } from '@escapement/core';
import { createLoop, type OnError } from '@escapement/service';
import {
  type Database,
  hasReplayed,
  isConnectionError,
  isPassingError,
  logPosition,
  whyNotStandbyOf,
} from '@escapement/store';

/** So long a read waits for the standby to show what was committed before it was asked. */
const PATIENCE_MS = 100;
const ASK_AGAIN_MS = 5;
/** Whether the standby may be read is looked at so often; one that is further behind than a look waits may not. */
const CHECK_MS = 2 * SECOND;
const CHECK_PATIENCE_MS = 1 * SECOND;

export interface ReadsOptions {
  primary: Database;
  /** Default: there is none, and the primary serves all. */
  standby?: Database | undefined;
  emit: Emit;
  onError: OnError;
}

/** Where what only shows something is read. */
export interface Reads {
  /**
   * Gives `use` the standby, once it shows all that was committed before the call; the primary where that takes too long, the standby
   * fails, or there is none.
   */
  read<Result>(use: (db: Database) => Promise<Result>): Promise<Result>;
  start(): void;
  stop(): Promise<void>;
}

export function createReads({ primary, standby, ...telling }: ReadsOptions): Reads {
  if (standby) return readsFrom(standby, { primary, ...telling });
  return { read: (use) => use(primary), start() {}, stop: async () => {} };
}

function readsFrom(standby: Database, { primary, emit, onError }: Omit<ReadsOptions, 'standby'>): Reads {
  /** Undefined: it was not looked at yet. */
  let mayServe: boolean | undefined;

  function judge(why: string | null): void {
    const may = why === null;
    if (may === mayServe) return;
    mayServe = may;
    emit(may ? { event: 'standby_serves' } : { event: 'standby_left', why });
  }

  /** Why the standby does not show all up to that position of the primary's log in time; null: it does. */
  async function whyBehind(lsn: string, withinMs: number): Promise<string | null> {
    const untilMs = systemClock.monotonicMs() + withinMs;
    while (!(await hasReplayed(standby, lsn))) {
      if (systemClock.monotonicMs() > untilMs) return `it is more than ${withinMs} ms behind`;
      await sleep(ASK_AGAIN_MS);
    }
    return null;
  }

  /** Leaves the standby if it is behind. That it may serve again is said by the checks alone, which ask more. */
  async function isCaughtUp(): Promise<boolean> {
    const lsn = await logPosition(primary);
    const why = await whyBehind(lsn, PATIENCE_MS).catch(wordsOf);
    if (why !== null) judge(why);
    return why === null;
  }

  // Of two servers that do not answer nobody knows which it is: the checks find out.
  const look = oneForAll(() => Promise.race([isCaughtUp(), sleep(2 * PATIENCE_MS, false)]));

  async function whyNot(lsn: string): Promise<string | null> {
    return (await whyNotStandbyOf(primary, standby)) ?? (await whyBehind(lsn, CHECK_PATIENCE_MS));
  }

  const checks = createLoop({
    name: 'standby',
    onError,
    async runOnce() {
      // Where the primary does not answer this says nothing of the standby.
      const lsn = await logPosition(primary);
      judge(await whyNot(lsn).catch(wordsOf));
      return CHECK_MS;
    },
  });

  async function askPrimary<Result>(use: (db: Database) => Promise<Result>): Promise<Result> {
    const result = await use(primary);
    emit({ event: 'read_answered', by: 'primary' });
    return result;
  }

  return {
    async read(use) {
      if (!mayServe || !(await look().catch(() => false))) return await askPrimary(use);
      try {
        const result = await use(standby);
        emit({ event: 'read_answered', by: 'standby' });
        return result;
      } catch (error) {
        if (!isPassingError(error)) throw error;
        // Also where replay was in conflict with the read.
        onError(error, { name: 'standby' });
        if (isConnectionError(error)) judge(wordsOf(error));
        return await askPrimary(use);
      }
    },
    start: checks.start,
    stop: checks.stop,
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Calls during a call of `ask` share the next one, which begins when that is over: it is about what was true after each of them came. */
function oneForAll<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<Answer> | undefined;
  return () => {
    next ??= underWay.then(() => {
      next = undefined;
      const answer = ask();
      underWay = answer.catch(() => undefined);
      return answer;
    });
    return next;
  };
}
