import { createInterface } from 'node:readline/promises';
import { EscapementError, systemClock, systemReason } from '@escapement/core';
import { refuseDebugger, takeEnvironment } from '@escapement/service/environment';
import { EXIT } from './output/exit-code.ts';
import { createOutput } from './output/print.ts';
import { runCommand } from './program.ts';
import { readBounded } from './read-bounded.ts';

refuseDebugger();

/** After the answer is written nothing is worth waiting for: a server that does not let go, say. */
const LINGER_MS = 2000;

/** A terminal sends Ctrl-C to us and to our parent, which passes it on: what comes so soon is the same one. */
const SAME_INTERRUPT_MS = 500;

function interruptible(): AbortSignal {
  const stopped = new AbortController();
  let firstMs: number | undefined;
  process.on('SIGINT', () => {
    const nowMs = systemClock.monotonicMs();
    firstMs ??= nowMs;
    if (nowMs - firstMs > SAME_INTERRUPT_MS) process.exit(EXIT.interrupted);
    stopped.abort();
  });
  return stopped.signal;
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('reading from the terminal; Ctrl-D ends it\n');
  return await readBounded(process.stdin, 'standard input');
}

/** A line of the terminal; undefined: Ctrl-C, or the end of the input. */
async function readLine(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}

/** What is not a yes is a no. */
async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await readLine(question))?.trim() ?? '');
}

async function ask(question: string): Promise<string> {
  const line = await readLine(question);
  if (line !== undefined) return line;
  process.stderr.write('\n');
  throw new EscapementError('interrupted', 'ended before an answer; nothing was done');
}

const hasTerminal = process.stdin.isTTY && process.stderr.isTTY;

// `escapement ... | head`: who reads has read enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    if (stream === process.stdout) reportUnwritten(error);
    process.exit(EXIT.usage);
  });

/** A full disk, say. */
function reportUnwritten(error: Error): void {
  const fix = 'make room, or write elsewhere; what the command was to change may be changed all the same';
  process.stderr.write(`error: standard output cannot be written: ${systemReason(error)}\n  ${fix}\n`);
}

process.exitCode = await runCommand(process.argv.slice(2), {
  output: createOutput(process),
  env: takeEnvironment(),
  cwd: process.cwd(),
  clock: systemClock,
  stdin: readStdin,
  confirm: hasTerminal ? confirm : undefined,
  ask: hasTerminal ? ask : undefined,
  interruptible,
});
setTimeout(() => process.exit(), LINGER_MS).unref();
