import { type Clock, type Handler, type HandlerLookup, type HandlerSpec, SECOND, systemClock } from '@escapement/core';
import { DEFAULT_EGRESS, type EgressPolicy } from '@escapement/core/egress';
import type { TaskModule } from '@escapement/sdk';
import { type Accounts, ownAccount, sameAccount } from './account.ts';
import { createCodeTasks } from './code/code-tasks.ts';
import type { OnHandlerEvent } from './code/event.ts';
import type { DescribedTasks, LoadOptions } from './code/process/describe-tasks.ts';
import { createHttpHandler } from './http/handler.ts';
import { maskedHandler } from './output/masked-handler.ts';
import type { SecretLookup } from './secrets.ts';
import { createShellHandler, type ShellOptions } from './shell/handler.ts';

export interface HandlersOptions {
  /** Variables that all processes of tasks get. Nothing else of this process' environment comes to them. */
  env: Readonly<Record<string, string | undefined>>;
  /** Whom the processes of tasks belong to. Default: the user of this process. */
  accounts?: Accounts;
  shell: Pick<ShellOptions, 'allow' | 'drainMs'>;
  /** Which secrets exist, and may be given to tasks, is the configuration's to say. */
  secrets: SecretLookup;
  /** Values that must not show in anything that leaves a handler. Default none. */
  secretValues?: readonly string[];
  /** Tasks with `isolation: 'inline'` may run in this process; else they get a process as all others. Default false. */
  allowInline?: boolean;
  /** Tasks whose modules are in this process already, as in a test: they run inline if they say so. Default none. */
  modules?: readonly TaskModule[];
  /** Where `http` tasks may send requests. Default: to public addresses. */
  egress?: EgressPolicy;
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
  /** Undefined for a code task that was not loaded. */
  lookup: HandlerLookup;
  /** Has the modules at a path loaded, and adds their tasks to those that can run. Never rejects. */
  load(path: string, options?: LoadOptions): Promise<DescribedTasks>;
  /** Gets ready for the first run. From here on `process.exit` called by a handler fails its run only. */
  start(): void;
  /** Ends the processes of handlers, whatever they do. */
  stop(): Promise<void>;
  /** Whether an error that nobody caught belongs to a run in this process, which has failed by it. */
  claim(thrown: unknown, kind: 'error' | 'rejection'): boolean;
}

/** Every handler that a worker has. */
export function createHandlers(options: HandlersOptions): Handlers {
  const { secrets, env, clock = systemClock, killAfterMs = 4.5 * SECOND, onEvent = () => undefined } = options;
  const accounts = options.accounts ?? sameAccount(ownAccount(env));
  const runShell = createShellHandler({ ...options.shell, env, accounts, secrets, killAfterMs });
  const runHttp = createHttpHandler({ secrets, clock, egress: options.egress ?? DEFAULT_EGRESS });
  const code = createCodeTasks({ ...options, accounts, clock, killAfterMs, onEvent });
  const masked = options.secretValues ?? [];

  function find(spec: HandlerSpec): Handler | undefined {
    switch (spec.type) {
      case 'shell':
        return (context) => runShell({ ...context, spec });
      case 'http':
        return (context) => runHttp({ ...context, spec });
      case 'code':
        return code.lookup(spec);
    }
  }

  return {
    lookup(spec: HandlerSpec) {
      const run = find(spec);
      return run && maskedHandler(run, masked, clock);
    },
    load: code.load,
    start: code.start,
    stop: code.stop,
    claim: code.claim,
  };
}
