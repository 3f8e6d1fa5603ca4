import { writeSync } from 'node:fs';
import { close as closeDebugger } from 'node:inspector';
import {
  EscapementError,
  formatSpan,
  type HandlerCall,
  type HandlerOutcome,
  SECOND,
  systemClock,
} from '@escapement/core';
import { isTaskModule, runTask, type TaskModule } from '@escapement/sdk';
import { DEFAULT_OUTPUT_BYTES, RunOutput } from '../../output/run-output.ts';
import { loadConfigModule, loadTaskModule } from '../load-task-module.ts';
import { currentScope, exitCodeOf, inScope, outcomeOfExit, outcomeOfStray, type RunScope } from '../run-scope.ts';
import { Asker } from './asker.ts';
import { divertConsole } from './console-output.ts';
import { LogSender } from './log-sender.ts';
import { ALIVE_MS, type FromProcess, type RunOrder, toProcess } from './protocol.ts';
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
}

// Stacks name lines of the sources, also those of a build.
process.setSourceMapsEnabled(true);

/** How long the last words may take. */
const LAST_WORDS_MS = 1 * SECOND;

const tasks = new Map<string, TaskModule>();
const sendToWorker = process.send?.bind(process);
const exit = process.exit.bind(process);
const asker = new Asker((message) => post(message));
let current: Current | undefined;
/** A module is being loaded to be described. */
let describing = false;
/** Something of an earlier run is still at work here, and fails. */
let spoilt = false;

function post(message: FromProcess, sent: () => void = () => undefined): void {
  // No channel, no worker: `disconnect` ends this process.
  if (process.connected && sendToWorker) sendToWorker(message, sent);
}

async function run(order: RunOrder): Promise<void> {
  const controller = new AbortController();
  const sender = new LogSender((text, sent) => post({ type: 'log', text }, sent));
  const output = new RunOutput({ log: sender, maxBytes: DEFAULT_OUTPUT_BYTES });
  const scope: RunScope = { run: order.run, fail: (outcome) => end(own, outcome, false) };
  const reporter = new Reporter((progress) => post({ type: 'report', progress }));
  const own: Current = { scope, output, sender, reporter, controller, silentSigns: 0, over: false };
  current = own;
  // At once, so that the worker knows that the run has begun.
  sayAlive(own, order);
  const signs = setInterval(() => sayAlive(own, order), ALIVE_MS);
  const log = { write: (text: string) => output.writeText(text) };
  const context = {
    run: order.run,
    payload: order.payload,
    ...(order.state === undefined ? {} : { state: order.state }),
    ...(order.secrets === undefined ? {} : { secrets: order.secrets }),
    signal: controller.signal,
    log,
    heartbeat: () => reporter.heartbeat(),
    progress: (...report: Parameters<Reporter['progress']>) => reporter.progress(...report),
    ask: (call: HandlerCall) => asker.ask(call),
  };
  const task = await load(order);
  const outcome = isTaskModule(task) ? await inScope(scope, () => enter(task, context)) : task;
  clearInterval(signs);
  // Node keeps for ever that a module could not be imported: the next run tries it in another process.
  end(own, outcome, isTaskModule(task));
}

/** Now the work begins. */
function enter(task: TaskModule, context: Parameters<typeof runTask>[1]): Promise<HandlerOutcome> {
  post({ type: 'entered' });
  return runTask(task, context, systemClock);
}

async function load({ file, task: name }: RunOrder): Promise<TaskModule | HandlerOutcome> {
  try {
    const task = tasks.get(file) ?? (await loadTaskModule(file));
    if (task.name !== name) return notLoaded(`${file} defines "${task.name}" now, no longer "${name}"`);
    tasks.set(file, task);
    return task;
  } catch (error) {
    return notLoaded(error instanceof Error ? error.message : String(error));
  }
}

/** What goes wrong in it, whether caught or not, is the module's problem. */
async function describe(file: string, what: 'task' | 'config'): Promise<void> {
  describing = true;
  try {
    if (what === 'config') post({ type: 'described', config: await loadConfigModule(file) });
    else {
      const task = await loadTaskModule(file);
      tasks.set(file, task);
      post({ type: 'described', definition: task.toDefinition() });
    }
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    const { code, message, fix } = error;
    post({ type: 'described', problem: { code, message, ...(fix === undefined ? {} : { fix }) } });
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
  setTimeout(() => exit(1), killAfterMs);
}

/** The first end counts. False: there was one. */
function end(own: Current, outcome: HandlerOutcome, clean: boolean): boolean {
  if (own.over) return false;
  own.over = true;
  own.reporter.end();
  own.output.end();
  void own.sender.flushed().then(() => finish(outcome, clean && !spoilt));
  return true;
}

function finish(outcome: HandlerOutcome, clean: boolean): void {
  current = undefined;
  if (clean) return post({ type: 'outcome', outcome, clean });
  post({ type: 'outcome', outcome, clean }, () => exit(1));
  setTimeout(() => exit(1), LAST_WORDS_MS);
}

function onStray(thrown: unknown, kind: 'error' | 'rejection'): void {
  const outcome = outcomeOfStray(thrown, kind, systemClock.now());
  const { message } = outcome.status === 'failed' ? outcome.error : { message: '' };
  const scope = currentScope();
  if (!current) {
    // Past the stream that was diverted.
    if (describing) writeSync(2, `${message}\n`);
    return exit(1);
  }
  if (scope === undefined || scope === current.scope) current.scope.fail(outcome);
  else {
    // Not this run's fault: it may end here, but it is the last one.
    spoilt = true;
    current.output.note(`run ${scope.run.id} of ${scope.run.taskName}, which ended here before: ${message}`);
  }
}

/** There is no time to wait for anything: what the channel does not take at once is lost. */
function exitWithWord(code?: number | string | null): never {
  const exitCode = exitCodeOf(code);
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
  if (parsed.data.type === 'describe') void describe(parsed.data.file, parsed.data.what);
  if (parsed.data.type === 'abort') current?.controller.abort(parsed.data.reason);
  if (parsed.data.type === 'answer' || parsed.data.type === 'refusal') asker.answered(parsed.data);
});
// Between two runs there is nobody to hear it.
divertConsole((text) => current?.output.writeText(text));
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
post({ type: 'ready' });
