import { EscapementError, type HandlerCall, handlerCall } from '@escapement/core';
import { type BegunRun, type Database, previousOf } from '@escapement/store';
import { persist } from '../execute/persist.ts';
import type { Asking } from '../execute/run-handler.ts';

/** Who asks: a run that its worker has begun. */
export interface Caller extends Asking {
  run: BegunRun;
}

/** Answers what handlers ask for while they run. Rejects with an `EscapementError` that says what is wrong. */
export interface Calls {
  answer(call: unknown, caller: Caller): Promise<unknown>;
}

export interface CallsOptions {
  db: Database;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
}

export function createCalls({ db, mayPersist }: CallsOptions): Calls {
  function carryOut(call: HandlerCall, { run }: Caller): Promise<unknown> {
    switch (call.call) {
      case 'previous':
        return previousOf(db, run);
    }
  }

  return {
    async answer(asked, caller) {
      const call = handlerCall.safeParse(asked);
      if (!call.success) throw badCall(call.error.issues);
      return await persist(
        () => carryOut(call.data, caller),
        () => mayPersist() && !caller.signal.aborted,
      );
    },
  };
}

function badCall(issues: readonly { path: PropertyKey[]; message: string }[]): EscapementError {
  const list = issues.map(({ path, message }) => `${path.join('.') || 'the call'}: ${message}`).join('; ');
  return new EscapementError('bad_call', `the handler asked for something its worker does not know: ${list}`, {
    fix: 'worker and task may be of different versions: bring both up to date',
  });
}
