import type { HandlerCall, HandlerOutcome, Json } from '@escapement/core';
import { createHandlers, type HandlerEvent, type HandlersOptions } from '@escapement/handlers';
import { built } from '@escapement/testkit';
import { afterAll } from 'vitest';
import { type Recorded, record } from './context.ts';

const folder = built(new URL('fixtures/bad', import.meta.url));

export interface Started extends Recorded<{ type: 'code'; name: string }> {
  outcome: Promise<HandlerOutcome>;
}

/** The tasks of `fixtures/bad`, each run in processes as a worker would. */
export async function badHandlers(options: Partial<HandlersOptions> = {}) {
  const events: HandlerEvent[] = [];
  const handlers = createHandlers({
    env: {},
    shell: { allow: false },
    secrets: () => undefined,
    execArgv: [],
    onEvent: (event) => events.push(event),
    ...options,
  });
  afterAll(() => handlers.stop());
  const { tasks } = await handlers.load(folder);
  return {
    ...handlers,
    events,
    run(name: string, payload?: Json, onAsk?: (call: HandlerCall) => unknown): Started {
      const definition = tasks.find((task) => task.definition.name === name)?.definition;
      if (definition?.handler.type !== 'code') throw new Error(`no task ${name}`);
      const recorded = record(definition.handler, payload, onAsk);
      const handler = handlers.lookup(definition.handler);
      if (!handler) throw new Error(`no handler for ${name}`);
      return { ...recorded, outcome: handler(recorded.context) };
    },
  };
}
