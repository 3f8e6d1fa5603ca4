import { type Clock, type Emit, SECOND, systemClock } from '@escapement/core';
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
  clock?: Clock;
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

export function createReads({ primary, standby, emit, onError, clock = systemClock }: ReadsOptions): Reads {
  if (!standby) return { read: (use) => use(primary), start() {}, stop: async () => {} };
  /** Undefined: it was not looked at yet. */
  let mayServe: boolean | undefined;

  function judge(why: string | null): void {
    const may = why === null;
    if (may === mayServe) return;
    mayServe = may;
    emit(may ? { event: 'standby_serves' } : { event: 'standby_left', why });
  }

  /** Whether the standby comes to where the primary is now, in time. Undefined: the primary does not answer. */
  async function catchesUp(of: Database, withinMs: number): Promise<boolean | undefined> {
    const untilMs = clock.monotonicMs() + withinMs;
    const lsn = await logPosition(primary).catch(() => undefined);
    if (lsn === undefined) return undefined;
    while (!(await hasReplayed(of, lsn))) {
      if (clock.monotonicMs() > untilMs) return false;
      await pause(ASK_AGAIN_MS);
    }
    return true;
  }

  // A standby that does not answer is behind.
  const look = oneForAll(() =>
    Promise.race([catchesUp(standby, PATIENCE_MS), pause(2 * PATIENCE_MS).then(() => false)]),
  );

  async function isCaughtUp(): Promise<boolean> {
    if (!mayServe) return false;
    try {
      const isThere = await look();
      if (isThere === false) judge(`it was more than ${PATIENCE_MS} ms behind`);
      return isThere ?? false;
    } catch (error) {
      judge(wordsOf(error));
    }
    return false;
  }

  const checks = createLoop({
    name: 'standby',
    onError,
    async runOnce() {
      try {
        const why = await whyNotStandbyOf(primary, standby);
        const isBehind = why === null && (await catchesUp(standby, CHECK_PATIENCE_MS)) !== true;
        judge(isBehind ? `it is more than ${CHECK_PATIENCE_MS / SECOND} s behind` : why);
      } catch (error) {
        judge(wordsOf(error));
      }
      return CHECK_MS;
    },
  });

  return {
    async read(use) {
      if (!(await isCaughtUp())) return await use(primary);
      try {
        return await use(standby);
      } catch (error) {
        if (!isPassingError(error)) throw error;
        // Also where replay was in conflict with the read.
        onError(error, { name: 'standby' });
        if (isConnectionError(error)) judge(wordsOf(error));
        return await use(primary);
      }
    },
    start: checks.start,
    stop: checks.stop,
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
