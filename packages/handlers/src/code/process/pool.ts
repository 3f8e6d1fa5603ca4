import { availableParallelism } from 'node:os';
import { type Clock, DEFAULT_MEMORY_LIMIT_MB, MINUTE } from '@escapement/core';
import type { Ids } from '../../account.ts';
import { OrphanGuard } from '../../shell/orphan-guard.ts';
import { HandlerProcess } from './handler-process.ts';

/** An idle process, beyond the last one, ends after this time. */
const IDLE_MS = 5 * MINUTE;
const SWEEP_MS = 30_000;
/** A process is replaced after so many runs, should its handlers leak. */
const MAX_RUNS = 1000;
/** Starting takes a processor for some hundred milliseconds: more at once only makes each of them late. */
/** Idle processes that do not serve a run; beyond these the one that was used longest ago ends. */
const MAX_UNFIT = 8;
const MAX_STARTING = availableParallelism();

export interface PoolOptions {
  /** Options of Node for the processes: those of the worker, so that they load modules as it does. */
  execArgv: readonly string[];
  /** The environment of the processes. */
  env: Readonly<Record<string, string>>;
  /** Whom they belong to; undefined: as this process. */
  ids?: Ids | undefined;
  clock: Clock;
}

/** What a run needs of its process. */
export interface Wanted {
  file: string;
  memoryLimitMb: number;
  /** It is given secrets: the process must never have had the code of another task in it, nor get it later. */
  sole?: boolean;
  /** Nothing runs in it: whatever else was loaded there does no harm. */
  onlyDescribes?: boolean;
}

interface Waiter {
  wanted: Wanted;
  take(process: HandlerProcess | undefined): void;
}

/**
 * Warm processes for code tasks. As many as there are runs at once, which the worker's concurrency bounds; the one that
 * was used last is used next, so that those beyond the need grow old and end.
 */
export class ProcessPool {
  readonly #options: PoolOptions;
  readonly #guard = new OrphanGuard();
  readonly #all = new Set<HandlerProcess>();
  /** In the order in which they came. */
  #waiting: Waiter[] = [];
  #starting = 0;
  #idle: { process: HandlerProcess; sinceMs: number }[] = [];
  #sweep: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: PoolOptions) {
    this.#options = { ...options, execArgv: options.execArgv.filter((option) => !/^--(inspect|max-old)/.test(option)) };
  }

  get size(): number {
    return this.#all.size;
  }

  /** Starts the first process before there is a run for it. */
  start(): void {
    this.#sweep = setInterval(() => this.#endOld(), SWEEP_MS).unref();
    this.#keepSpare();
  }

  /**
   * A process that is free: one that knows the module, if there is such a one. Else the first that becomes free, or can be
   * started. Undefined: there will be none any more, or it was not waited for.
   */
  async take(wanted: Wanted, signal?: AbortSignal): Promise<HandlerProcess | undefined> {
    const fits = this.#idle.filter(({ process }) => serves(process, wanted));
    const found = fits.findLast(({ process }) => process.files.has(wanted.file)) ?? fits.at(-1);
    this.#idle = this.#idle.filter((entry) => entry !== found);
    return found ? found.process : await this.#wait(wanted, signal);
  }

  /** Takes a process back after its run. */
  giveBack(process: HandlerProcess, clean: boolean): void {
    if (!clean || process.hasEnded) {
      process.retire();
      this.#keepSpare();
    } else if (this.#stopped || process.runs >= MAX_RUNS) process.retire();
    else this.#rest(process);
  }

  /** Ends all processes, whatever they do. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#sweep);
    for (const { take } of this.#waiting) take(undefined);
    const all = [...this.#all];
    for (const process of all) process.kill();
    await Promise.all(all.map((process) => process.ended));
  }

  #wait(wanted: Wanted, signal: AbortSignal | undefined): Promise<HandlerProcess | undefined> {
    if (this.#stopped || signal?.aborted) return Promise.resolve(undefined);
    // None of these serves: each may be the process of one task.
    if (this.#idle.length >= MAX_UNFIT) this.#idle.shift()?.process.retire();
    return new Promise((resolve) => {
      const giveUp = () => waiter.take(undefined);
      const waiter: Waiter = {
        wanted,
        take: (process) => {
          this.#waiting = this.#waiting.filter((other) => other !== waiter);
          signal?.removeEventListener('abort', giveUp);
          resolve(process);
        },
      };
      this.#waiting.push(waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#startNext();
    });
  }

  /** Starts processes for those who wait, as far as there may be more starts at once. */
  #startNext(): void {
    while (!this.#stopped && this.#starting < MAX_STARTING) {
      const [next] = this.#waiting;
      if (!next) return;
      next.take(this.#fork(next.wanted.memoryLimitMb));
    }
  }

  #rest(process: HandlerProcess): void {
    const next = this.#waiting.find(({ wanted }) => serves(process, wanted));
    if (next) return next.take(process);
    this.#idle.push({ process, sinceMs: this.#options.clock.monotonicMs() });
  }

  #fork(memoryLimitMb: number): HandlerProcess {
    const { execArgv, env, ids } = this.#options;
    const process = new HandlerProcess({ memoryLimitMb, execArgv, env, ids, guard: this.#guard });
    this.#all.add(process);
    this.#starting += 1;
    void process.ready.then(() => {
      this.#starting -= 1;
      this.#startNext();
    });
    void process.ended.then(() => {
      this.#all.delete(process);
      this.#idle = this.#idle.filter((entry) => entry.process !== process);
    });
    return process;
  }

  /** So that a run after a crash, or the first one, need not wait for a process to start. */
  #keepSpare(): void {
    if (!this.#stopped && this.#idle.length === 0 && this.#starting < MAX_STARTING)
      this.#rest(this.#fork(DEFAULT_MEMORY_LIMIT_MB));
  }

  #endOld(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const old = this.#idle.slice(0, -1).filter(({ sinceMs }) => nowMs - sinceMs > IDLE_MS);
    this.#idle = this.#idle.filter((entry) => !old.includes(entry));
    for (const { process } of old) process.retire();
  }
}

function serves(process: HandlerProcess, wanted: Wanted): boolean {
  const { file, memoryLimitMb, sole = false, onlyDescribes = false } = wanted;
  if (process.memoryLimitMb !== memoryLimitMb || process.hasEnded) return false;
  if (!onlyDescribes && process.owner !== undefined && process.owner !== file) return false;
  return sole ? [...process.files].every((known) => known === file) : !process.hasSecrets;
}
