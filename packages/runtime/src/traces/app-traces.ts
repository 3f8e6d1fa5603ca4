import type { Emit } from '@escapement/core';
import { NO_TRACING, type TracedRun, type Tracing } from '@escapement/core/traces';
import type { Traces, TracesOptions } from './traces.ts';

/** The traces of a process that may record some, and begins to before its work. */
export interface AppTraces {
  /** Throws what `openTraces` does. */
  open(): Promise<Tracing>;
  /** Undefined: nobody records them. */
  idOf(run: TracedRun): string | undefined;
  record: Emit;
  stop(): Promise<void>;
}

/** `to`: as `TracesOptions` has it, or `off`. Then nothing of OpenTelemetry is loaded. */
export function createAppTraces(options: TracesOptions): AppTraces {
  let traces: Traces | undefined;
  return {
    async open() {
      if (options.to === 'off') return NO_TRACING;
      const { openTraces } = await import('./traces.ts');
      traces = await openTraces(options);
      return traces.tracing;
    },
    idOf: (run) => traces?.tracing.idOf(run),
    record: (event) => traces?.record(event),
    stop: async () => await traces?.stop(),
  };
}
