import { type Clock, type HandlerOutcome, type RunInfo, SECOND } from '@escapement/core';
import type { OnHandlerEvent } from './event.ts';
import { currentScope, exitCodeOf, inScope, outcomeOfExit, outcomeOfStray, type RunScope } from './run-scope.ts';

const WATCH_MS = 500;
/** A block of the worker's event loop is told from here on. */
const BLOCKED_AFTER_MS = 2 * SECOND;
/** Runs that such a line names. */
const MAX_NAMED = 20;

/**
 * The runs inline in this process. Finds the run that a stray error or a call of `process.exit` belongs to, so that it
 * alone fails, and tells when the event loop was blocked and who ran then.
 */
export class InlineRuns {
  readonly #clock: Clock;
  readonly #onEvent: OnHandlerEvent;
  readonly #running = new Set<RunScope>();
  /** Ended since the last look: who blocked the loop may have ended with the block. */
  #justEnded: RunScope[] = [];
  #timer: NodeJS.Timeout | undefined;
  #giveExitBack: () => void = () => undefined;

  constructor(clock: Clock, onEvent: OnHandlerEvent) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  start(): void {
    this.#giveExitBack = interceptExit();
    let lastMs = this.#clock.monotonicMs();
    this.#timer = setInterval(() => {
      const nowMs = this.#clock.monotonicMs();
      this.#tellBlock(Math.round(nowMs - lastMs - WATCH_MS));
      lastMs = nowMs;
      this.#justEnded = [];
    }, WATCH_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#giveExitBack();
  }

  /** Runs a handler; what it throws outside its promise ends it as well. */
  async run(run: RunInfo, handle: () => Promise<HandlerOutcome>): Promise<HandlerOutcome> {
    let resolve: (outcome: HandlerOutcome) => void = () => undefined;
    const failed = new Promise<HandlerOutcome>((resolveFailed) => {
      resolve = resolveFailed;
    });
    const scope: RunScope = {
      run,
      fail: (outcome) => {
        resolve(outcome);
        return this.#running.delete(scope);
      },
    };
    this.#running.add(scope);
    try {
      return await Promise.race([inScope(scope, handle), failed]);
    } finally {
      this.#running.delete(scope);
      this.#justEnded.push(scope);
    }
  }

  /** Whether an error that nobody caught came from a handler that runs here: then its run has it. */
  claim(thrown: unknown, kind: 'error' | 'rejection'): boolean {
    const scope = currentScope();
    if (!scope) return false;
    const late = !scope.fail(outcomeOfStray(thrown, kind, this.#clock.now()));
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#onEvent({ event: 'stray_error', run: scope.run.id, task: scope.run.taskName, late, error });
    return true;
  }

  #tellBlock(blockedMs: number): void {
    if (blockedMs < BLOCKED_AFTER_MS) return;
    const runs = [...this.#justEnded, ...this.#running].slice(0, MAX_NAMED).map((scope) => scope.run.id);
    this.#onEvent({ event: 'loop_blocked', where: 'worker', runs, blockedMs });
  }
}

/** `process.exit` called by a handler fails its run; called by anybody else it ends the process. Returns the undoing. */
function interceptExit(): () => void {
  const { exit } = process;
  process.exit = (code) => {
    const scope = currentScope();
    if (!scope) return exit.call(process, code);
    const outcome = outcomeOfExit(exitCodeOf(code));
    scope.fail(outcome);
    throw new Error(outcome.status === 'failed' ? outcome.error.message : 'process.exit');
  };
  return () => {
    process.exit = exit;
  };
}
