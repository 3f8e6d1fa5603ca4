import type { TaskContext } from '@escapement/sdk';

const LINE = `${'x'.repeat(99)}\n`;
const ways: Record<string, (context: TaskContext) => unknown> = {
  'blocks for ever'() {
    for (;;);
  },
  'blocks for 3 s'() {
    const until = performance.now() + 3000;
    while (performance.now() < until);
  },
  'eats memory'() {
    const eaten: unknown[] = [];
    for (;;) eaten.push(new Array(1000).fill(eaten.length));
  },
  'throws outside its promise'() {
    setTimeout(() => {
      throw new TypeError('no such invoice');
    });
    return new Promise(() => undefined);
  },
  'leaves a rejection alone'() {
    void Promise.resolve().then(() => Promise.reject(new TypeError('no such invoice')));
    return new Promise(() => undefined);
  },
  'calls process.exit': () => process.exit(5),
  'calls process.exit later'() {
    setTimeout(() => process.exit(5));
    return new Promise(() => undefined);
  },
  'is killed': () => process.kill(process.pid, 'SIGSEGV'),
  'writes 100 MB of log'({ log }) {
    for (let lines = 0; lines < 1_000_000; lines++) log.write(LINE);
  },
};

/** Does what its payload says. */
export function misbehave(payload: unknown, context: TaskContext): unknown {
  return ways[String(payload)]?.(context);
}
