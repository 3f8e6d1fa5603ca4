import { type ChildProcess, fork } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import {
  EscapementError,
  failedForGood,
  formatSpan,
  type HandlerCall,
  type HandlerOutcome,
  MINUTE,
  type Progress,
} from '@escapement/core';
import type { Ids } from '../../account.ts';
import type { RunOutput } from '../../output/run-output.ts';
import type { OrphanGuard } from '../../shell/orphan-guard.ts';
import { ProcessGroup } from '../../shell/process-group.ts';
import type { ProcessEnding } from './ending.ts';
import type { Leftovers } from './leftovers/baseline.ts';
import { type Described, type FromProcess, type RunOrder, readMessage, type ToProcess, waitedFor } from './protocol.ts';

export interface HandlerProcessOptions {
  memoryLimitMb: number;
  /** Options of Node for it. */
  execArgv: readonly string[];
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  /** Whom it belongs to; undefined: as this process. */
  ids: Ids | undefined;
  guard: OrphanGuard;
}

/** Who listens to a process while it has a run. */
export interface Listener {
  output: RunOutput;
  /** Its event loop turns: it was heard. */
  onReport(): void;
  /** The handler says that it lives, and perhaps how far it is. */
  report(progress: Progress | null): void;
  /** The handler asks for something; the answer has the same id. */
  ask(id: number, call: HandlerCall): void;
  /** Its module is loaded, and the handler is called. */
  entered(): void;
  outcome(outcome: HandlerOutcome, end: ProcessEnd): void;
}

/** How a run leaves its process. */
export interface ProcessEnd {
  /** Another run may follow in it. */
  clean: boolean;
  /** What the run has left behind in it. */
  left?: Leftovers;
}

type Question = Extract<ToProcess, { type: 'describe' }>;

/** Where the tasks of several modules have changed a process, it is nobody's. */
const NOBODY = '';

/** Beside this file, in the source and in the build. */
const RUNNER = new URL(import.meta.url.endsWith('.ts') ? './runner.ts' : './runner.js', import.meta.url);
/** Where Node has this option (22.14 or newer), no signal opens a debugger while the process starts. */
const NO_DEBUGGER = ['--disable-sigusr1'].filter((option) => process.allowedNodeEnvironmentFlags.has(option));
const LAST_WORDS_CHARS = 4000;
/** A process that has not started after so long, on the slowest machine, never will. */
const START_LIMIT_MS = 2 * MINUTE;
/** After its end: how long what it said is still read. A process that it left behind may hold its output for ever. */
const DRAIN_MS = 250;

/** A process that runs the handlers of code tasks, one at a time, in a group of its own. */
export class HandlerProcess {
  readonly memoryLimitMb: number;
  /** Modules that it has loaded. */
  readonly files = new Set<string>();
  /** It was given secrets, and serves the one task that has them. */
  hasSecrets = false;
  /** Resolves once it takes runs, or has ended. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended and what it said is read. */
  readonly ended: Promise<ProcessEnding>;
  /** The module of the task that has changed something here that stays: it serves this one alone. */
  owner: string | undefined;
  /** It was killed, as it had not started in time. */
  startedLate = false;
  /** Runs it was given. */
  runs = 0;
  readonly #child: ChildProcess;
  /** Of its last run. */
  #file: string | undefined;
  #hasEnded = false;
  #listener: Listener | undefined;
  #lastWords = '';
  #onDescribed: (described: Described) => void = () => undefined;
  #onReady: () => void = () => undefined;
  #onSettled: (clean: boolean) => void = () => undefined;

  constructor({ memoryLimitMb, execArgv, env, ids, guard }: HandlerProcessOptions) {
    this.memoryLimitMb = memoryLimitMb;
    this.#child = fork(RUNNER, [], {
      execArgv: [...execArgv, ...NO_DEBUGGER, `--max-old-space-size=${memoryLimitMb}`],
      env: { ...env },
      ...ids,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: it is killed with all that it started, and a Ctrl-C to the worker's group does not reach it.
      detached: true,
    });
    const { pid } = this.#child;
    if (pid !== undefined) guard.add(pid);
    this.#child.on('message', (message: unknown) => this.#receive(message));
    this.#read(this.#child.stdout, () => undefined);
    this.#read(this.#child.stderr, (text) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS_CHARS);
    });
    this.ended = this.#whenEnded().finally(() => {
      if (pid !== undefined) guard.remove(pid);
    });
    const limit = setTimeout(() => this.#startLate(), START_LIMIT_MS);
    this.ready = Promise.race([
      this.ended.then(() => undefined),
      new Promise<void>((resolve) => {
        this.#onReady = resolve;
      }),
    ]).finally(() => clearTimeout(limit));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  begin(order: RunOrder, listener: Listener): void {
    this.runs += 1;
    this.files.add(order.file);
    this.#file = order.file;
    this.hasSecrets ||= order.secrets !== undefined;
    this.#listener = listener;
    this.say(order);
  }

  /** Has it load a module. Undefined: it ended over that. */
  async describe(question: Omit<Question, 'type'>): Promise<Described | undefined> {
    await this.ready;
    this.files.add(question.file);
    const described = new Promise<Described>((resolve) => {
      this.#onDescribed = resolve;
    });
    this.say({ type: 'describe', ...question });
    return await Promise.race([described, this.ended.then(() => undefined)]);
  }

  /** The run is over: what it still says belongs to nobody. */
  release(): void {
    this.#listener = undefined;
    this.#lastWords = '';
  }

  /** After leftovers that were settling: whether they have ended. */
  async settled(): Promise<boolean> {
    const settled = new Promise<boolean>((resolve) => {
      this.#onSettled = resolve;
    });
    return await Promise.race([settled, this.ended.then(() => false)]);
  }

  say(message: ToProcess): void {
    // Its end tells all: an error of the channel adds nothing.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #startLate(): void {
    this.startedLate = true;
    this.#lastWords = `it did not start within ${formatSpan(START_LIMIT_MS)}`;
    this.kill();
  }

  /** Ends it and all of its group at once. */
  kill(): void {
    if (this.#child.pid !== undefined) new ProcessGroup(this.#child.pid).signal('SIGKILL');
  }

  /** Ends it between two runs; what a handler left in the background lives on, as it would under cron. */
  retire(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #receive(message: unknown): void {
    this.#listener?.onReport();
    const read = readMessage(message);
    if (read) this.#take(read);
    else this.#refuse(message);
  }

  /** Who asks waits for an answer, and the worker for the end: neither may be passed over. */
  #refuse(message: unknown): void {
    const of = waitedFor.safeParse(message).data;
    const [code, words] = ['bad_call', 'the process of a handler said what its worker cannot read'] as const;
    if (of?.type === 'ask') this.say({ type: 'refusal', id: of.id, code, message: words });
    if (of?.type === 'outcome')
      this.#listener?.outcome(failedForGood(new EscapementError(code, words)), { clean: false });
  }

  #take(message: FromProcess): void {
    switch (message.type) {
      case 'ready':
        return this.#onReady();
      case 'described':
        if (message.owned) this.owner ??= this.files.size === 1 ? [...this.files][0] : NOBODY;
        return this.#onDescribed(message);
      case 'alive':
        return;
      case 'entered':
        if (message.owned) this.owner ??= this.#file;
        return this.#listener?.entered();
      case 'settled':
        return this.#onSettled(message.clean);
      case 'log':
        return this.#listener?.output.writeText(message.text);
      case 'report':
        return this.#listener?.report(message.progress);
      case 'ask':
        return this.#listener?.ask(message.id, message.call);
      case 'outcome':
        if (message.left?.owned) this.owner ??= this.#file;
        return this.#listener?.outcome(message.outcome, message);
    }
  }

  #read(stream: NodeJS.ReadableStream | null, also: (text: string) => void): void {
    const decoder = new StringDecoder('utf8');
    stream?.on('data', (bytes: Buffer) => {
      const text = decoder.write(bytes);
      this.#listener?.output.writeText(text);
      also(text);
    });
    stream?.on('error', () => undefined);
  }

  async #whenEnded(): Promise<ProcessEnding> {
    const child = this.#child;
    const drained = Promise.all([
      new Promise((resolve) => child.once('close', resolve)),
      new Promise((resolve) => child.once('disconnect', resolve)),
    ]);
    const ending = await new Promise<Omit<ProcessEnding, 'lastWords'>>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => {
        this.#lastWords = error.message;
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    this.#hasEnded = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS);
    });
    if (child.pid !== undefined) await Promise.race([drained, late]);
    clearTimeout(timer);
    return { ...ending, lastWords: this.#lastWords };
  }
}
