import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Draws ids as OpenTelemetry does, but for spans whose ids others know before they exist. */
export interface ChosenIds extends IdGenerator {
  /** What `start` begins has this span id, and, if it begins a trace, that trace id. */
  as<Result>(ids: { traceId: string; spanId: string }, start: () => Result): Result;
}

export function createChosenIds(): ChosenIds {
  const random = new RandomIdGenerator();
  let chosen: { traceId: string; spanId: string } | undefined;
  return {
    generateTraceId: () => chosen?.traceId ?? random.generateTraceId(),
    generateSpanId: () => chosen?.spanId ?? random.generateSpanId(),
    as(ids, start) {
      chosen = ids;
      try {
        return start();
      } finally {
        chosen = undefined;
      }
    },
  };
}
