import { type Clock, type HandlerLookup, type HandlerSpec, systemClock } from '@escapement/core';
import type { TaskModule } from '@escapement/sdk';
import { createCodeHandler } from './code/handler.ts';
import { createHttpHandler } from './http/handler.ts';
import type { SecretLookup } from './secrets.ts';
import { createShellHandler, type ShellOptions } from './shell/handler.ts';

export interface HandlersOptions {
  shell: Omit<ShellOptions, 'secrets'>;
  /** Which secrets exist, and may be given to tasks, is the configuration's to say. */
  secrets: SecretLookup;
  /** From `loadTaskModules`. */
  tasks: readonly TaskModule[];
  clock?: Clock;
}

/** Every handler that a worker has. Undefined for a code task that it was not given. */
export function createHandlers({ shell, secrets, tasks, clock = systemClock }: HandlersOptions): HandlerLookup {
  const runShell = createShellHandler({ ...shell, secrets });
  const runHttp = createHttpHandler({ secrets, clock });
  const code = new Map(tasks.map((task) => [task.name, createCodeHandler(task, clock)]));
  return (spec: HandlerSpec) => {
    switch (spec.type) {
      case 'shell':
        return (context) => runShell({ ...context, spec });
      case 'http':
        return (context) => runHttp({ ...context, spec });
      case 'code':
        return code.get(spec.name);
    }
  };
}
