import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { RunOutput } from '../output/run-output.ts';
import type { Ending } from './ending.ts';
import { checkProgram } from './find-program.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import type { Pipe } from './pipe-supply.ts';
import { ProcessGroup } from './process-group.ts';
import { endingIn, endingOfWitness, witnessed } from './witness.ts';

export interface ProcessSpec {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  ids?: { uid: number; gid: number };
  /** Starts the program as another user, where ids do not suffice. */
  prefix: readonly string[];
  /** Written to standard input; undefined: /dev/null. */
  stdin: string | undefined;
  /** Descriptors 3 and 4: where its messages go, and what it may read; undefined: it has none. */
  channel: Channel | undefined;
}

export interface Channel {
  onMessage: (bytes: Buffer) => void;
  given: string;
}

export interface ProcessLimits {
  /** From SIGTERM to SIGKILL. */
  killAfterMs: number;
  /** How long the output is read on after the process ended while others hold it open. */
  drainMs: number;
}

export interface ProcessWatch {
  output: RunOutput;
  /** Told of each piece of output. */
  onOutput: () => void;
  signal: AbortSignal;
  limits: ProcessLimits;
  guard: OrphanGuard;
}

/**
 * Runs a process in a group of its own and reads its output until it has ended. On abort the whole
 * group is stopped. Rejects with spawn's error if the process cannot be started.
 */
export async function runProcess(spec: ProcessSpec, pipe: Pipe, watch: ProcessWatch): Promise<Ending> {
  const reader = new Socket({ fd: pipe.read, readable: true, writable: false });
  const closed = new Promise<void>((resolve) => reader.once('close', () => resolve()));
  reader.on('data', (bytes: Buffer) => {
    watch.onOutput();
    watch.output.write(bytes);
  });
  reader.on('error', () => reader.destroy());
  try {
    const child = await start(spec, pipe);
    const reports = spec.channel ? openChannel(child, spec.channel) : undefined;
    const ending = await endOf(child, watch);
    // After a stop nobody of the group is left to write, and the run has to be over soon.
    const drained = Promise.all([closed, reports?.closed]).then(() => undefined);
    await drain(reader, drained, ending.stopped ? { ...watch, limits: { ...watch.limits, drainMs: 100 } } : watch);
    reports?.end();
    return ending;
  } catch (error) {
    reader.destroy();
    throw error;
  }
}

async function start(spec: ProcessSpec, pipe: Pipe): Promise<ChildProcess> {
  try {
    await checkProgram(spec.program, spec);
    const [witness, args] = witnessed([spec.program, ...spec.args]);
    const [program = witness, ...words] = [...spec.prefix, witness, ...args];
    const child = spawn(program, words, {
      cwd: spec.cwd,
      env: spec.env,
      ...spec.ids,
      // A session and group of its own: a signal to the worker's group does not reach it, ours reach all of it.
      detached: true,
      stdio: [
        spec.stdin === undefined ? 'ignore' : 'pipe',
        pipe.write,
        'pipe',
        ...(spec.channel ? (['pipe', 'pipe'] as const) : []),
      ],
    });
    // It may end without having read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(spec.stdin);
    return child;
  } finally {
    // Only the process may hold the writing end, or the output would never end.
    closeSync(pipe.write);
  }
}

/** Hears what the program writes to descriptor 3, and gives it what it may read on 4. */
function openChannel(child: ChildProcess, { onMessage, given }: Channel): { closed: Promise<void>; end: () => void } {
  const [, , , messages, supply] = child.stdio;
  // It may end, or close it, without having read.
  supply?.on('error', () => undefined);
  if (supply instanceof Socket) supply.end(given);
  if (!(messages instanceof Socket)) return { closed: Promise.resolve(), end: () => undefined };
  const closed = new Promise<void>((resolve) => messages.once('close', () => resolve()));
  messages.on('data', onMessage);
  messages.on('error', () => messages.destroy());
  messages.on('end', () => messages.end());
  return {
    closed,
    end: () => {
      messages.destroy();
      supply?.destroy();
    },
  };
}

async function endOf(child: ChildProcess, { signal, limits, guard, output }: ProcessWatch): Promise<Ending> {
  const { pid } = child;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    if (pid !== undefined) stopping ??= new ProcessGroup(pid).stop(limits.killAfterMs);
  };
  if (pid !== undefined) guard.add(pid);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const report = textOf(child.stderr);
  const own = await new Promise<Pick<Ending, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, exitSignal) => resolve({ code, signal: exitSignal }));
  }).finally(() => signal.removeEventListener('abort', stop));
  const stopped = stopping !== undefined;
  const said = await report;
  const reported = endingIn(said);
  if (!reported) {
    // Only the witness has ended for sure.
    stop();
    if (said.trim() !== '') output.note(said.trim());
  }
  // The leader may be gone while a grandchild still works: the key is free only after it.
  await stopping;
  if (pid !== undefined) guard.remove(pid);
  return { ...(reported ?? endingOfWitness(own)), stopped };
}

/** What its descriptor brings until all have closed it: the witness is the only one that has it. */
async function textOf(stream: ChildProcess['stderr']): Promise<string> {
  const pieces: Buffer[] = [];
  stream?.on('data', (bytes: Buffer) => pieces.push(bytes));
  stream?.on('error', () => undefined);
  if (stream && !stream.closed) await new Promise((resolve) => stream.once('close', resolve));
  return Buffer.concat(pieces).toString();
}

/**
 * A process that was left in the background may hold the output open for ever. Cron does not kill
 * it, and neither do we; we stop waiting. Its output is read on and thrown away, since a closed or
 * full pipe would kill or block it.
 */
async function drain(reader: Socket, closed: Promise<void>, { output, limits }: ProcessWatch): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    // One more turn of the loop reads what came in while the loop was busy.
    timer = setTimeout(() => setImmediate(() => resolve('late')), limits.drainMs);
  });
  const first = await Promise.race([closed, late]);
  clearTimeout(timer);
  output.end();
  if (first !== 'late') return;
  reader.unref();
  output.note('a process in the background still holds the output; what it writes from here on is not kept');
}
