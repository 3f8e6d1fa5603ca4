import { EscapementError, type HandlerCall, handlerCall } from '@escapement/core';
import type { Tracing } from '@escapement/core/traces';
import { type Database, type Definitions, previousOf } from '@escapement/store';
import { answerAdd, answerOpen, answerProgress, answerResults, answerSeal } from '../batches/answer-batch.ts';
import type { BatchWatch } from '../batches/batch-watch.ts';
import { persist } from '../execute/persist.ts';
import { answerListAdd, answerTake } from '../lists/answer-list.ts';
import type { Caller } from './caller.ts';

/** Answers what handlers ask for while they run. Rejects with an `EscapementError` that says what is wrong. */
export interface Calls {
  answer(call: unknown, caller: Caller): Promise<unknown>;
}

export interface CallsOptions {
  db: Database;
  definitions: Definitions;
  batches: BatchWatch;
  tracing: Pick<Tracing, 'afterRun'>;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
}

export function createCalls({ db, definitions, batches, tracing, mayPersist }: CallsOptions): Calls {
  function carryOut(call: HandlerCall, caller: Caller): Promise<unknown> {
    switch (call.call) {
      case 'previous':
        return previousOf(db, caller.run);
      case 'batch_open': {
        const { call: _, ...request } = call;
        return answerOpen({ db, definitions, tracing }, request, caller);
      }
      case 'batch_add':
        return answerAdd(db, call, caller);
      case 'batch_seal':
        return answerSeal(db, call.batchId, caller, batches);
      case 'batch_results':
        return answerResults(db, call, caller, batches);
      case 'list_take':
        return answerTake(db, call, caller);
      case 'list_add':
        return answerListAdd(db, call, caller);
      case 'batch_progress':
        return answerProgress(db, call.batchId);
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
