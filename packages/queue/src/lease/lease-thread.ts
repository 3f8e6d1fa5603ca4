import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SECOND } from '@escapement/core';
import { toError } from '../redis/connection.ts';
import type { RenewerData, RenewerMessage } from './lease-renewer.ts';

export interface LeaseThread {
  /** Resolves when the thread's connection stands for the first time. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/** What it makes lives for a pass. Without a limit V8 gives the young generation of its heap some 16 MB, and they stay. In megabytes. */
const MEMORY = { maxYoungGenerationSizeMb: 2 };

/** A thread that died is started again after this time; the leases outlive that. */
const RESTART_MS = 1 * SECOND;

/** Keeps the renewing thread alive. `onLost` says that some lease was lost; which one is in the table. */
export function startLeaseThread(
  data: RenewerData,
  listeners: { onLost: () => void; onError: (error: Error) => void },
): LeaseThread {
  let thread: Worker;
  let stopped = false;
  let setReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });

  function hear(message: RenewerMessage): void {
    if (message.type === 'ready') setReady();
    else if (message.type === 'lost') listeners.onLost();
    else listeners.onError(new Error(message.message));
  }

  function start(): void {
    if (stopped) return;
    thread = new Worker(...program(data));
    thread.on('message', hear);
    thread.on('error', (error) => listeners.onError(toError(error)));
    thread.once('exit', () => {
      if (!stopped) setTimeout(start, RESTART_MS).unref();
    });
  }

  start();
  return {
    ready,
    async stop() {
      stopped = true;
      await thread.terminate();
    },
  };
}

function program(workerData: RenewerData): ConstructorParameters<typeof Worker> {
  if (!import.meta.url.endsWith('.ts'))
    return [new URL('./lease-renewer.js', import.meta.url), { workerData, resourceLimits: MEMORY }];
  // From source: Node gives a thread none of the loaders that its process was started with.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'));
  const loader = new URL('./dist/esm/api/index.mjs', tsx);
  const entry = new URL('./lease-renewer.ts', import.meta.url);
  const code = `import('${loader}').then(({ register }) => { register(); return import('${entry}'); });`;
  return [code, { workerData, eval: true, execArgv: ['--conditions=@escapement/source'] }];
}
