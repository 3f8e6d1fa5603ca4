import {
  type Clock,
  type CodeHandler,
  type Handler,
  type HandlerLookup,
  type HandlerSpec,
  SECOND,
  systemClock,
} from '@escapement/core';
import type { OnHandlerEvent } from './code/event.ts';
import { createInlineHandler } from './code/inline-handler.ts';
import { InlineRuns } from './code/inline-runs.ts';
import type { LoadedTask } from './code/load-task-modules.ts';
import { createProcessHandler } from './code/process/handler.ts';
import { ProcessPool } from './code/process/pool.ts';
import { createHttpHandler } from './http/handler.ts';
import { maskOutcome } from './output/mask-outcome.ts';
import type { SecretLookup } from './secrets.ts';
import { createShellHandler, type ShellOptions } from './shell/handler.ts';

export interface HandlersOptions {
  shell: Omit<ShellOptions, 'secrets' | 'killAfterMs'>;
  /** Which secrets exist, and may be given to tasks, is the configuration's to say. */
  secrets: SecretLookup;
  /** Values that must not show in logs and errors of code tasks, which see the worker's whole environment. Default none. */
  secretValues?: readonly string[];
  /** From `loadTaskModules`. */
  tasks: readonly LoadedTask[];
  /** From the abort of a run until its processes are killed. Milliseconds; default 4.5 s, within the published 5 s. */
  killAfterMs?: number;
  /** A process of a handler that has not heard from this one for so long stops. Milliseconds; default 8 s. */
  workerTimeoutMs?: number;
  /** Options of Node for the processes of handlers. Default: this process' own, so that they load modules as it does. */
  execArgv?: readonly string[];
  onEvent?: OnHandlerEvent;
  clock?: Clock;
}

export interface Handlers {
  /** Undefined for a code task that was not given. */
  lookup: HandlerLookup;
  /** Gets ready for the first run. From here on `process.exit` called by a handler fails its run only. */
  start(): void;
  /** Ends the processes of handlers, whatever they do. */
  stop(): Promise<void>;
  /** Whether an error that nobody caught belongs to a run in this process, which has failed by it. */
  claim(thrown: unknown, kind: 'error' | 'rejection'): boolean;
}

/** Every handler that a worker has. */
export function createHandlers(options: HandlersOptions): Handlers {
  const { secrets, tasks, clock = systemClock, killAfterMs = 4.5 * SECOND, onEvent = () => undefined } = options;
  const runShell = createShellHandler({ ...options.shell, secrets, killAfterMs });
  const runHttp = createHttpHandler({ secrets, clock });
  const known = new Map(tasks.map((loaded) => [loaded.task.name, loaded]));
  const inline = new InlineRuns(clock, onEvent);
  const pool = new ProcessPool({ execArgv: options.execArgv ?? process.execArgv, clock });
  const masked = options.secretValues ?? [];
  const ofProcess = {
    pool,
    clock,
    killAfterMs,
    workerTimeoutMs: options.workerTimeoutMs ?? 8 * SECOND,
    onEvent,
    secrets: masked,
  };

  function code(spec: CodeHandler): Handler | undefined {
    const loaded = known.get(spec.name);
    if (!loaded) return undefined;
    const handler =
      spec.isolation === 'inline'
        ? createInlineHandler(loaded.task, { clock, inline, secrets: masked })
        : createProcessHandler(loaded, spec, ofProcess);
    return async (context) => maskOutcome(await handler(context), masked);
  }

  return {
    lookup(spec: HandlerSpec) {
      switch (spec.type) {
        case 'shell':
          return (context) => runShell({ ...context, spec });
        case 'http':
          return (context) => runHttp({ ...context, spec });
        case 'code':
          return code(spec);
      }
    },
    start() {
      inline.start();
      if (tasks.length > 0) pool.start();
    },
    async stop() {
      inline.stop();
      await pool.stop();
    },
    claim: (thrown, kind) => inline.claim(thrown, kind),
  };
}
