import {
  ABORT_BOUND_MS,
  type AbortReason,
  admitProgress,
  attemptEnd,
  decide,
  type HandlerOutcome,
  type Json,
  type Progress,
  type RunInfo,
  type TaskDefinition,
  type TaskState,
  type Verdict,
} from '@escapement/core';
import type { TaskModule } from '../define-task.ts';
import { runTask, type TaskRunContext } from '../run-task.ts';
import type { TestCalls } from './test-calls.ts';
import { settled, type TestTime } from './test-time.ts';
import { testTimebox } from './test-timebox.ts';

export interface TestAttemptOptions {
  task: TaskModule;
  definition: TaskDefinition;
  run: RunInfo;
  payload: Json | undefined;
  state: TaskState;
  secrets: Readonly<Record<string, string>>;
  /** Answers what the task asks for. */
  calls: TestCalls;
  time: TestTime;
  /** How long a turn of a time box takes, in milliseconds. */
  turnMs: number;
  /** From 0 to less than 1: the jitter of the back-off. */
  random: number;
}

/** One attempt of a task in memory, as a worker would make it: limits, abort, outcome. */
export class TestAttempt {
  log = '';
  readonly progress: Progress[] = [];
  heartbeats = 0;
  readonly #options: TestAttemptOptions;
  readonly #controller = new AbortController();
  #hasBegun = false;
  #reason: AbortReason | undefined;
  #callOffSilence: () => void = () => undefined;
  #leaveAlone: () => void = () => undefined;
  readonly #leftAlone: Promise<undefined>;

  constructor(options: TestAttemptOptions) {
    this.#options = options;
    this.#leftAlone = new Promise((resolve) => {
      this.#leaveAlone = () => resolve(undefined);
    });
  }

  /** From the call of the handler to the verdict. */
  async execute(): Promise<Verdict> {
    // By then whoever made it has it in hand: the task may call it.
    await Promise.resolve();
    this.#hasBegun = true;
    const { task, definition, time } = this.#options;
    const callOffLimit = time.alarm(definition.timeoutMs, () => this.#abortNow('timeout'));
    this.#heard();
    const outcome = await Promise.race([runTask(task, this.#context(), time.clock), this.#leftAlone]);
    callOffLimit();
    this.#callOffSilence();
    return this.#verdict(outcome);
  }

  async advance(ms: number): Promise<void> {
    // Not before the task has come as far as it comes without time.
    if (!this.#hasBegun) await settled();
    await this.#options.time.advance(ms);
  }

  async abort(reason: AbortReason): Promise<void> {
    if (!this.#hasBegun) await settled();
    this.#abortNow(reason);
    await settled();
  }

  #abortNow(reason: AbortReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#options.time.alarm(ABORT_BOUND_MS, this.#leaveAlone);
    this.#controller.abort(reason);
  }

  #heard(): void {
    this.#callOffSilence();
    const { heartbeatTimeoutMs } = this.#options.definition;
    if (heartbeatTimeoutMs === undefined) return;
    this.#callOffSilence = this.#options.time.alarm(heartbeatTimeoutMs, () => this.#abortNow('heartbeat'));
  }

  #context(): TaskRunContext {
    const { run, payload, state, secrets, calls, time, turnMs } = this.#options;
    return {
      run,
      payload,
      state,
      secrets,
      ask: calls.ask,
      openTimebox: testTimebox(turnMs, time),
      signal: this.#controller.signal,
      log: {
        write: (text) => {
          this.log += text;
        },
      },
      heartbeat: () => {
        this.heartbeats += 1;
        this.#heard();
      },
      progress: (done, total, note) => {
        const progress = admitProgress(done, total, note);
        if (progress) this.progress.push(progress);
        this.#heard();
      },
    };
  }

  #verdict(outcome: HandlerOutcome | undefined): Verdict {
    const { definition, run, time, random } = this.#options;
    const bounds = { ...definition, cancelRequest: () => undefined };
    const tries = { ...definition, attempt: run.attempt, uncounted: 0, lost: 0 };
    return decide(attemptEnd(outcome, this.#reason, bounds), tries, time.clock.now(), random);
  }
}
