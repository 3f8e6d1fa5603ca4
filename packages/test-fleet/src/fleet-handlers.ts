import { type Clock, type HandlerLookup, handlerFacts } from '@escapement/core';
import type { EgressPolicy } from '@escapement/core/egress';
import { createHandlers } from '@escapement/handlers';
import type { TaskModule } from '@escapement/sdk';
import { processEnvironment, taskEnvironment } from '@escapement/service';

/**
 * The handlers of a worker that is in the test's own process: tasks in code run inline whatever they say, so that they have
 * the test's fakes; `shell` and `http` are those of any worker.
 */
export function fleetHandlers(
  tasks: readonly TaskModule[],
  clock: Clock,
  egress: EgressPolicy,
): { lookup: HandlerLookup; stop: () => Promise<void> } {
  const workerEnv = processEnvironment();
  // Never started: it would take over process.exit, which is the test runner's here.
  const handlers = createHandlers({
    modules: tasks,
    env: taskEnvironment(workerEnv),
    shell: { allow: true },
    secrets: (name) => workerEnv[name],
    egress,
    clock,
  });
  const lookup: HandlerLookup = (spec) => {
    const { code } = handlerFacts(spec);
    return handlers.lookup(code ? { type: 'code', name: code.name, isolation: 'inline' } : spec);
  };
  return { lookup, stop: handlers.stop };
}
