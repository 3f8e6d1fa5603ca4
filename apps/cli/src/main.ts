import { text } from 'node:stream/consumers';
import { systemClock } from '@escapement/core';
import { processEnvironment } from '@escapement/service';
import { EXIT } from './output/exit-code.ts';
import { createOutput } from './output/print.ts';
import { runCommand } from './program.ts';

/** After the answer is written nothing is worth waiting for: a server that does not let go, say. */
const LINGER_MS = 2000;

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopped.abort();
    // A second one, or a command that cannot be stopped in between, ends the process as the signal does.
    setTimeout(() => process.kill(process.pid, signal), LINGER_MS).unref();
  });
}
// `escapement ... | head`: who reads has read enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });

process.exitCode = await runCommand(process.argv.slice(2), {
  output: createOutput(process),
  env: processEnvironment(),
  cwd: process.cwd(),
  clock: systemClock,
  stdin: () => text(process.stdin),
  signal: stopped.signal,
});
setTimeout(() => process.exit(), LINGER_MS).unref();
