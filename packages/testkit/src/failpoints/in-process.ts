import { AsyncLocalStorage } from 'node:async_hooks';
import { type Failpoint, pointName } from './patch.ts';
import { serveFailpoints } from './runtime.mjs';

interface Trap {
  point: string;
  /** The step has been made, for the first time. */
  spring: () => void;
}

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** What is at work in this part of the process. */
const trapOf = new AsyncLocalStorage<Trap>();

/**
 * Makes the functions that the tests' configuration lists (`failpoints` in vitest.config.ts) stop where `killAfter` wants it.
 * To be called before their modules are loaded.
 */
export function installFailpoints(): void {
  serveFailpoints(
    (point: string, call: Call): Call =>
      function (...args) {
        const result = call.apply(this, args);
        const trap = trapOf.getStore();
        return trap?.point === point ? stopAfter(result, trap) : result;
      },
  );
}

async function stopAfter(result: unknown, { spring }: Trap): Promise<never> {
  await result;
  spring();
  return await new Promise<never>(() => undefined);
}

/**
 * Does work until right after a call of the function, from which it never returns: to `die` is to take from the work whatever
 * else it has under way, as SIGKILL takes it from a process. Rejects if the work ends without that call.
 */
export async function killAfter(point: Failpoint, work: () => Promise<unknown>, die: () => void): Promise<void> {
  const name = pointName(point);
  let killed = false;
  await new Promise<void>((resolve, reject) => {
    const spring = () => {
      if (killed) return;
      killed = true;
      die();
      resolve();
    };
    // Once dead, whatever becomes of it is of no matter.
    trapOf
      .run({ point: name, spring }, work)
      .then(() => reject(new Error(`it is over, and never came by ${name}`)), reject);
  });
}
