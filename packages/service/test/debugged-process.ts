import { url } from 'node:inspector';
import { refuseDebugger, takeEnvironment } from '@escapement/service/environment';

// Starts as the apps do. By SIGUSR1, before and after, another process of its user would have Node open a debugger.
const before = process.argv[2] === 'early' ? await signalled() : undefined;
refuseDebugger();
takeEnvironment();
const after = await signalled();
process.stdout.write(`${JSON.stringify({ before: before !== undefined, after: after !== undefined })}\n`);

/** The debugger's address after the signal. Node opens it in a thread of its own, before the next signal of that thread is seen. */
async function signalled(): Promise<string | undefined> {
  process.kill(process.pid, 'SIGUSR1');
  for (let turns = 0; turns < 50 && url() === undefined; turns++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return url();
}
