import { AsyncLocalStorage } from 'node:async_hooks';
import { type HandlerOutcome, outcomeOfThrown, type RunInfo } from '@escapement/core';

/** The run that code works for, as far as Node can follow it: through promises, timers, streams, callbacks. */
export interface RunScope {
  readonly run: Pick<RunInfo, 'id' | 'taskName'>;
  /** The module of its task, where that is known. */
  readonly file?: string;
  /** It is the import of the module: its code belongs to each run of the task. */
  readonly isImport?: boolean;
  /** Ends the attempt with this outcome, unless it has one. False: it was over already. */
  fail(outcome: HandlerOutcome): boolean;
}

const scopes = new AsyncLocalStorage<RunScope>();

/** Calls `work` so that `currentScope` finds `scope` in all that comes of it. */
export function inScope<Result>(scope: RunScope, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** The run that the calling code works for; undefined where it works for none. */
export function currentScope(): RunScope | undefined {
  return scopes.getStore();
}

/** Calls what is not the run's own doing, and might outlive it: a buffer's timer, a connection. */
export function outOfScope<Result>(work: () => Result): Result {
  return scopes.exit(work);
}

/** What came of an error that a handler threw where nobody could catch it: in a timer, or in a promise left alone. */
export function outcomeOfStray(thrown: unknown, kind: 'error' | 'rejection', now: Date): HandlerOutcome {
  const outcome = outcomeOfThrown(thrown, now);
  const where = kind === 'error' ? 'thrown outside its promise' : 'rejected in a promise that nobody waited for';
  if (outcome.status !== 'failed')
    return { status: 'failed', error: { name: 'Skip', message: `Skip ${where}` }, work: 'cut_off' };
  return { ...outcome, error: { ...outcome.error, message: `${where}: ${outcome.error.message}` }, work: 'cut_off' };
}

/** What a call of `process.exit` by a handler means: its work was under way, and nobody knows how far it came. */
export function outcomeOfExit(exitCode: number): HandlerOutcome {
  const message = `called process.exit(${exitCode}); a handler ends by returning or throwing`;
  const { stack = '' } = new Error(message);
  return { status: 'failed', error: { name: 'ProcessExit', message, stack }, exitCode, work: 'cut_off' };
}

/** The code that `process.exit(code)` would end with. */
export function exitCodeOf(code: number | string | null | undefined): number {
  const asked = Number(code ?? process.exitCode ?? 0);
  return Number.isInteger(asked) ? asked & 0xff : 1;
}
