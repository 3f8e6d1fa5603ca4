import { writeSync } from 'node:fs';
import { close as closeDebugger } from 'node:inspector';
import {
  type Clock,
  EscapementError,
  formatSpan,
  type HandlerCall,
  type HandlerOutcome,
  SECOND,
} from '@escapement/core';
import { isTaskModule, runTask, type TaskModule } from '@escapement/sdk';
import { DEFAULT_OUTPUT_BYTES, RunOutput } from '../../output/run-output.ts';
import { loadConfigModule, loadTaskModule } from '../load-task-module.ts';
import { currentScope, exitCodeOf, inScope, outcomeOfExit, outcomeOfStray, type RunScope } from '../run-scope.ts';
import { Asker } from './asker.ts';
import { divertConsole } from './console-output.ts';
import { Baseline, type Leftovers } from './leftovers/baseline.ts';
import { LogSender } from './log-sender.ts';
import { natives } from './natives.ts';
import { ALIVE_MS, type FromProcess, type RunOrder, SETTLE_LIMIT_MS, type ToProcess, toProcess } from './protocol.ts';
import { Reporter } from './reporter.ts';

/**
 * The program of a process for handlers: runs one attempt after the other, as its worker orders. It ends with the
 * channel to its worker, and after any run that went wrong outside its handler's promise.
 */

interface Current {
  readonly scope: RunScope;
  readonly output: RunOutput;
  readonly sender: LogSender;
  readonly reporter: Reporter;
  readonly controller: AbortController;
  /** Signs of life sent since the worker was last heard. */
  silentSigns: number;
  /** It has its outcome. */
  over: boolean;
  /** Objects of JavaScript that it had replaced. */
  readonly broken: string[];
  /** They were looked at after its end. */
  isChecked: boolean;
}

// Stacks name lines of the sources, also those of a build.
process.setSourceMapsEnabled(true);

/** How long the last words may take. */
const LAST_WORDS_MS = 1 * SECOND;
/** Between two looks at what a run has left at work. */
const SETTLE_EVERY_MS = 100;

const tasks = new Map<string, TaskModule>();
const { send: sendToWorker, exit } = natives;
/** By the time of this program: a task may replace `Date`. */
const clock: Clock = { now: natives.now, monotonicMs: natives.monotonicMs };
const asker = new Asker((message) => post(message));
let current: Current | undefined;
/** A module is being loaded to be described. */
let describing = false;
/** Something of an earlier run is still at work here, and fails. */
let spoilt = false;
/** A task has changed something here that stays: no other task comes. */
let owned = false;

function post(message: FromProcess, sent: () => void = () => undefined): void {
  // No channel, no worker: `disconnect` ends this process.
  if (process.connected && sendToWorker) sendToWorker(message, sent);
}

async function run(order: RunOrder): Promise<void> {
  const controller = new AbortController();
  const sender = new LogSender((text, sent) => post({ type: 'log', text }, sent));
  const output = new RunOutput({ log: sender, maxBytes: DEFAULT_OUTPUT_BYTES });
  const { file } = order;
  const scope: RunScope = { run: order.run, file, fail: (outcome) => end(own, outcome, false) };
  const reporter = new Reporter((progress) => post({ type: 'report', progress }));
  const own: Current = {
    scope,
    output,
    sender,
    reporter,
    controller,
    silentSigns: 0,
    over: false,
    broken: [],
    isChecked: false,
  };
  current = own;
  // At once, so that the worker knows that the run has begun.
  sayAlive(own, order);
  const signs = natives.setOwnInterval(() => sayAlive(own, order), ALIVE_MS);
  const log = { write: (text: string) => output.writeText(text) };
  const context = {
    run: order.run,
    payload: order.payload,
    ...(order.state === undefined ? {} : { state: order.state }),
    ...(order.secrets === undefined ? {} : { secrets: order.secrets }),
    signal: controller.signal,
    log,
    heartbeat: () => {
      if (!own.over) reporter.heartbeat();
    },
    progress: (...report: Parameters<Reporter['progress']>) => {
      if (!own.over) reporter.progress(...report);
    },
    ask: (call: HandlerCall) => (own.over ? Promise.reject(askedTooLate()) : asker.ask(call)),
  };
  const task = await load(order);
  const outcome = isTaskModule(task) ? await inScope(scope, () => enter(own, task, context)) : task;
  natives.clearInterval(signs);
  // Node keeps for ever that a module could not be imported: the next run tries it in another process.
  end(own, outcome, isTaskModule(task));
}

/** Now the work begins. */
async function enter(own: Current, task: TaskModule, context: Parameters<typeof runTask>[1]): Promise<HandlerOutcome> {
  post({ type: 'entered', owned });
  const run: TaskModule['run'] = async (payload, given) => {
    try {
      return await task.run(payload, given);
    } finally {
      // What becomes of its result is ours to say, and needs them.
      restoreAfter(own);
    }
  };
  return await runTask(Object.create(task, { run: { value: run } }), context, clock);
}

/** What the import of a module changes here is no leftover of a run. */
async function imported(file: string, scope: RunScope, limitMs?: number): Promise<TaskModule> {
  const task = await inScope(scope, () => loadTaskModule(file, limitMs));
  owned = baseline.adoptImport() || owned;
  return task;
}

function askedTooLate(): EscapementError {
  return new EscapementError('call_failed', 'the run that asks has ended', {
    fix: 'wait for all that the handler has begun before it returns',
  });
}

async function load({ file, task: name, run }: RunOrder): Promise<TaskModule | HandlerOutcome> {
  const scope: RunScope = { run, file, isImport: true, fail: () => false };
  try {
    const task = tasks.get(file) ?? (await imported(file, scope));
    if (task.name !== name) return notLoaded(`${file} defines "${task.name}" now, no longer "${name}"`);
    tasks.set(file, task);
    return task;
  } catch (error) {
    return notLoaded(error instanceof Error ? error.message : String(error));
  }
}

/** What goes wrong in it, whether caught or not, is the module's problem. */
async function describe({ file, what, limitMs }: Extract<ToProcess, { type: 'describe' }>): Promise<void> {
  describing = true;
  try {
    if (what === 'config') post({ type: 'described', owned: true, config: await loadConfigModule(file, limitMs) });
    else {
      const scope: RunScope = { run: { id: 'import', taskName: file }, file, isImport: true, fail: () => false };
      const task = await imported(file, scope, limitMs);
      tasks.set(file, task);
      post({ type: 'described', owned, definition: task.toDefinition() });
    }
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    const { code, message, fix } = error;
    post({ type: 'described', owned: true, problem: { code, message, ...(fix === undefined ? {} : { fix }) } });
  }
  describing = false;
}

function notLoaded(message: string): HandlerOutcome {
  return { status: 'failed', error: { name: 'TaskNotLoaded', message }, work: 'not_begun' };
}

/** Counted in signs of life, not in time: after a block of this loop the worker has spoken, but nobody has listened yet. */
function sayAlive(own: Current, { workerTimeoutMs, killAfterMs }: RunOrder): void {
  post({ type: 'alive' });
  own.silentSigns += 1;
  if (own.silentSigns !== Math.ceil(workerTimeoutMs / ALIVE_MS)) return;
  own.output.note(`the worker has not been heard for ${formatSpan(workerTimeoutMs)}: stopping`);
  own.controller.abort('lease_lost');
  natives.setTimeout(() => exit(1), killAfterMs);
}

/** What no run has written, or a run of another task that has ended, is in nobody's log. */
function writeToRun(text: string): void {
  const scope = currentScope();
  if (current && scope && (scope === current.scope || scope.file === current.scope.file))
    current.output.writeText(text);
}

/** The first end counts. False: there was one. */
function end(own: Current, outcome: HandlerOutcome, clean: boolean): boolean {
  if (own.over) return false;
  own.over = true;
  // Before all else, which needs them.
  restoreAfter(own);
  own.reporter.end();
  own.output.end();
  void conclude(own, outcome, clean);
  return true;
}

/** Once is enough: what replaces them later is no handler. */
function restoreAfter(own: Current): void {
  if (own.isChecked) return;
  const changed = baseline.restoreBuiltins();
  own.broken.push(...changed);
  own.isChecked = true;
}

async function conclude({ sender, broken }: Current, outcome: HandlerOutcome, clean: boolean): Promise<void> {
  const left = clean ? await baseline.leftBy(broken) : undefined;
  await sender.flushed();
  finish(outcome, clean && !spoilt, left);
}

function finish(outcome: HandlerOutcome, clean: boolean, left: Leftovers | undefined): void {
  current = undefined;
  owned ||= left?.owned === true;
  const words = left === undefined ? {} : { left };
  if (!clean || left?.fate === 'spent') {
    post({ type: 'outcome', outcome, clean: false, ...words }, () => exit(1));
    natives.setTimeout(() => exit(1), LAST_WORDS_MS);
    return;
  }
  post({ type: 'outcome', outcome, clean, ...words });
  if (left?.fate === 'settling') settle(clock.monotonicMs() + SETTLE_LIMIT_MS);
}

/** Nothing else runs here until what was left at work has ended. */
function settle(untilMs: number): void {
  if (spoilt || clock.monotonicMs() > untilMs) return post({ type: 'settled', clean: false });
  if (baseline.hasSettled()) return post({ type: 'settled', clean: true });
  natives.setTimeout(() => settle(untilMs), SETTLE_EVERY_MS).unref();
}

function onStray(thrown: unknown, kind: 'error' | 'rejection'): void {
  baseline.restoreBuiltins();
  const outcome = outcomeOfStray(thrown, kind, clock.now());
  const { message } = outcome.status === 'failed' ? outcome.error : { message: '' };
  const scope = currentScope();
  if (!current) {
    // Past the stream that was diverted.
    if (describing) writeSync(2, `${message}\n`);
    return exit(1);
  }
  if (scope === undefined || scope.isImport || scope === current.scope) current.scope.fail(outcome);
  else {
    // Not this run's fault: it may end here, but it is the last one.
    spoilt = true;
    current.output.note(`run ${scope.run.id} of ${scope.run.taskName}, which ended here before: ${message}`);
  }
}

/** There is no time to wait for anything: what the channel does not take at once is lost. */
function exitWithWord(code?: number | string | null): never {
  const exitCode = exitCodeOf(code);
  const scope = currentScope();
  if (current && scope && !scope.isImport && scope !== current.scope) {
    spoilt = true;
    throw new Error(`called process.exit(${exitCode}), and its run has ended`);
  }
  if (current && !current.over) {
    current.over = true;
    current.output.end();
    current.sender.sendAll();
    post({ type: 'outcome', outcome: outcomeOfExit(exitCode), clean: false });
  }
  return exit(exitCode);
}

process.on('message', (message: unknown) => {
  const parsed = toProcess.safeParse(message);
  if (!parsed.success) return;
  if (current) current.silentSigns = 0;
  if (parsed.data.type === 'run') void run(parsed.data);
  if (parsed.data.type === 'describe') void describe(parsed.data);
  if (parsed.data.type === 'abort') current?.controller.abort(parsed.data.reason);
  if (parsed.data.type === 'answer' || parsed.data.type === 'refusal') asker.answered(parsed.data);
});
divertConsole(writeToRun);
// By this signal a task of the same user would have Node open a debugger, and could take the secrets of the task in here.
process.on('SIGUSR1', () => undefined);
closeDebugger();
process.on('disconnect', () => exit(1));
process.on('uncaughtException', (error) => onStray(error, 'error'));
process.on('unhandledRejection', (error) => onStray(error, 'rejection'));
process.exit = exitWithWord;
// The channel is not the handlers': a package that looks for it would speak into it, or close it.
for (const own of ['send', 'disconnect']) Reflect.deleteProperty(process, own);
process.channel?.ref();
const baseline = new Baseline();
// Node's own listeners of the start are gone by then.
natives.setImmediate(() => {
  baseline.adoptImport();
  post({ type: 'ready' });
});
