import {
  type Clock,
  EscapementError,
  formatSpan,
  type HandlerContext,
  type HandlerOutcome,
  type Progress,
  SECOND,
} from '@escapement/core';
import { notBegun } from '../../abort.ts';
import type { RunOutput } from '../../output/run-output.ts';
import { type EndingContext, outcomeOfProcessEnding } from './ending.ts';
import type { HandlerProcess, ProcessEnd } from './handler-process.ts';
import type { Leftovers } from './leftovers/baseline.ts';
import { residentMb } from './memory.ts';
import { ALIVE_MS, LOAD_LIMIT_MS, type RunOrder } from './protocol.ts';

/** A process that has not been heard for so long is said to be blocked. */
const BLOCKED_AFTER_MS = 2 * SECOND;
/** What a process may hold above its heap's limit: the program itself, buffers, the young generation. In MB. */
const BESIDE_HEAP_MB = 256;

export interface AttemptOptions {
  order: RunOrder;
  context: Pick<HandlerContext, 'signal' | 'heartbeat' | 'progress' | 'ask'>;
  /** Told when the handler is called. */
  onEntered: () => void;
  output: RunOutput;
  clock: Clock;
  /** Told once for each block of the process' event loop, when it is noticed. */
  onBlocked: (blockedMs: number) => void;
}

export interface AttemptResult {
  outcome: HandlerOutcome;
  /** Whether another run may follow in this process. */
  rest: Promise<boolean>;
  /** What the run has left behind in it. */
  left?: Leftovers;
  /** The process has ended without having begun the run, and this is no fault of the run's: another may have it. */
  gone: boolean;
}

/** One attempt in a process: the order, its abort, watch over loop and memory, its end. Never rejects. */
export async function attempt(process: HandlerProcess, options: AttemptOptions): Promise<AttemptResult> {
  const { context, output } = options;
  await Promise.race([process.ready, aborted(context.signal)]);
  if (process.hasEnded) return { outcome: notStarted(await process.ended), rest: SPENT, gone: false };
  if (context.signal.aborted) return { outcome: notBegun(context.signal), rest: Promise.resolve(true), gone: false };
  const watch = new Watch(process, options);
  const result = await new Promise<Omit<AttemptResult, 'rest'> & ProcessEnd>((resolve) => {
    process.begin(options.order, {
      output,
      onReport: () => watch.onReport(),
      entered: () => {
        watch.entered();
        options.onEntered();
      },
      report: (progress) => passOn(progress, context),
      ask: (id, call) => void answer(process, id, context.ask(call)),
      // It may have ended by itself just before it was killed.
      outcome: (outcome, { clean, left }) => {
        const end = { clean: clean && !watch.hasKilled, ...(left === undefined ? {} : { left }) };
        resolve({ ...end, outcome: watch.judge(outcome), gone: false });
      },
    });
    watch.start();
    void process.ended.then((ending) =>
      resolve({ outcome: outcomeOfProcessEnding(ending, watch.forEnding()), clean: false, gone: watch.isUnheard }),
    );
  });
  watch.stop();
  const { clean, ...kept } = result;
  const rest = restOf(process, result);
  await outputRead();
  process.release();
  // What a handler has left in the background lives on where nothing else is wrong.
  if (kept.left?.fate === 'spent') process.retire();
  else if (!clean) process.kill();
  return { ...kept, rest };
}

const SPENT = Promise.resolve(false);

function restOf(process: HandlerProcess, { clean, left }: ProcessEnd): Promise<boolean> {
  if (!clean) return SPENT;
  return left?.fate === 'settling' ? process.settled() : Promise.resolve(true);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function passOn(progress: Progress | null, context: AttemptOptions['context']): void {
  if (progress) context.progress(progress.done, progress.total ?? undefined, progress.note ?? undefined);
  else context.heartbeat();
}

/** The answer finds its call by the id, also where another run has begun in the process meanwhile. */
async function answer(process: HandlerProcess, id: number, asked: Promise<unknown>): Promise<void> {
  try {
    process.say({ type: 'answer', id, answer: await asked });
  } catch (thrown) {
    const { message } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { code, fix } = thrown instanceof EscapementError ? thrown : { code: 'call_failed', fix: undefined };
    process.say({ type: 'refusal', id, code, message, ...(fix === undefined ? {} : { fix }) });
  }
}

/** What was written before the outcome was sent is in its pipes already: two turns of the loop read it. */
async function outputRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function notStarted({ code, signal, lastWords }: Awaited<HandlerProcess['ended']>): HandlerOutcome {
  const message = `its process could not be started (${signal ?? `exit code ${code}`}): ${lastWords.trim()}`;
  return { status: 'failed', error: { name: 'ProcessNotStarted', message }, work: 'not_begun' };
}

/**
 * Watches over one run: passes its abort on and kills what does not follow, notices a blocked loop and memory beyond
 * its bounds, and tells the process that its worker lives.
 */
class Watch {
  readonly #process: HandlerProcess;
  readonly #options: AttemptOptions;
  #timer: NodeJS.Timeout | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #killed: EndingContext['killed'];
  #heardMs: number;
  /** Turns of this process' own timer since: a block of the worker is none of the handler's. */
  #silentTurns = 0;
  #saidBlocked = false;
  #unheard = true;
  #entered = false;
  #loadTimer: NodeJS.Timeout | undefined;

  constructor(process: HandlerProcess, options: AttemptOptions) {
    this.#process = process;
    this.#options = options;
    this.#heardMs = options.clock.monotonicMs();
  }

  start(): void {
    this.#timer = setInterval(() => this.#turn(), ALIVE_MS);
    this.#loadTimer = setTimeout(() => this.#kill({ why: 'unloaded', waitedMs: LOAD_LIMIT_MS }), LOAD_LIMIT_MS);
    this.#options.context.signal.addEventListener('abort', this.#abort, { once: true });
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#killTimer);
    clearTimeout(this.#loadTimer);
    this.#options.context.signal.removeEventListener('abort', this.#abort);
  }

  onReport(): void {
    if (this.#saidBlocked) {
      this.#options.output.note(`the handler had blocked its event loop for ${formatSpan(this.#silentMs())}`);
      this.#saidBlocked = false;
    }
    this.#unheard = false;
    this.#silentTurns = 0;
    this.#heardMs = this.#options.clock.monotonicMs();
  }

  entered(): void {
    this.#entered = true;
    clearTimeout(this.#loadTimer);
  }

  /** What ends before the handler is called, as a module that calls `process.exit`, has done no work. */
  judge(outcome: HandlerOutcome): HandlerOutcome {
    return this.#entered || outcome.status !== 'failed' ? outcome : { ...outcome, work: 'not_begun' };
  }

  get hasKilled(): boolean {
    return this.#killed !== undefined;
  }

  /** Not a sign of the run yet. */
  get isUnheard(): boolean {
    return this.#unheard && !this.hasKilled;
  }

  forEnding(): EndingContext {
    const { signal } = this.#options.context;
    const blockedMs = this.#isBlocked() ? this.#silentMs() : 0;
    return {
      memoryLimitMb: this.#process.memoryLimitMb,
      killed: this.#killed,
      entered: this.#entered,
      signal,
      blockedMs,
    };
  }

  #isBlocked(): boolean {
    return this.#silentTurns * ALIVE_MS >= BLOCKED_AFTER_MS;
  }

  #silentMs(): number {
    return Math.round(this.#options.clock.monotonicMs() - this.#heardMs);
  }

  readonly #abort = (): void => {
    const { signal } = this.#options.context;
    this.#process.say({ type: 'abort', reason: signal.reason });
    const waitedMs = this.#options.order.killAfterMs;
    this.#killTimer = setTimeout(() => this.#kill({ why: 'stubborn', waitedMs }), waitedMs);
  };

  #kill(why: EndingContext['killed']): void {
    this.#killed ??= why;
    this.#process.kill();
  }

  #turn(): void {
    this.#silentTurns += 1;
    if (!this.#isBlocked()) this.#process.say({ type: 'alive' });
    else if (!this.#saidBlocked) this.#sayBlocked();
    void this.#checkMemory();
  }

  #sayBlocked(): void {
    this.#saidBlocked = true;
    const silentMs = this.#silentMs();
    this.#options.output.note(`the handler has been blocking its event loop for ${formatSpan(silentMs)}`);
    this.#options.onBlocked(silentMs);
  }

  async #checkMemory(): Promise<void> {
    const { pid, memoryLimitMb } = this.#process;
    const heldMb = pid === undefined ? undefined : await residentMb(pid);
    if (heldMb !== undefined && heldMb > memoryLimitMb + BESIDE_HEAP_MB) this.#kill({ why: 'memory', heldMb });
  }
}
