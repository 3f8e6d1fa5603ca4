import { createHash } from 'node:crypto';
import { formatTraceparent, parseTraceparent, type TraceParent } from './traceparent.ts';

/** A run, as far as its trace depends on it. */
export interface TracedRun {
  id: string;
  /** The span that it continues; null: its trace begins with it. */
  traceparent: string | null;
}

/**
 * The trace of a run: that which it continues, else one of its own, whose id is the run's. So every program finds the same
 * trace, and nobody has to write it down.
 */
export function traceIdOf({ id, traceparent }: TracedRun): string {
  return parentOf({ traceparent })?.traceId ?? id.replaceAll('-', '');
}

/** Where the trace of a run can be seen. `template`: a URL with `{trace_id}`. */
export function traceUrlOf(template: string, run: TracedRun): string {
  return template.replaceAll('{trace_id}', traceIdOf(run));
}

/** The span that a run continues. */
export function parentOf({ traceparent }: Pick<TracedRun, 'traceparent'>): TraceParent | null {
  return traceparent === null ? null : parseTraceparent(traceparent);
}

/** The span of a run from when it was due to its end: the half of its id that is random. */
export function runSpanId(runId: string): string {
  return runId.replaceAll('-', '').slice(16);
}

/** The span of an attempt: from before it began to when its end was written. */
export function attemptSpanId(runId: string, attempt: number): string {
  return hashed(`${runId}/${attempt}`);
}

/** The span of the handler's call in an attempt. */
export function handlerSpanId(runId: string, attempt: number): string {
  return hashed(`${runId}/${attempt}/handler`);
}

function hashed(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

/** Which traces are recorded: always the same answer to the same id and span before it. */
export type IsSampled = (traceId: string, parent: TraceParent | null) => boolean;

/** Tells those who work for a run, or come of it, which span they continue. */
export interface Tracing {
  /** For a run that follows this one, or is its child. Null: for nobody to continue. */
  afterRun(run: TracedRun): string | null;
  /** For the handler of an attempt. Null: there is nothing to continue. */
  inHandler(run: TracedRun, attempt: number): string | null;
  /** For a line of the log. Undefined: nobody records traces. */
  idOf(run: TracedRun): string | undefined;
}

/** Records nothing: who asked for a run with a trace of its own finds that in all that comes of it. */
export const NO_TRACING: Tracing = {
  afterRun: ({ traceparent }) => traceparent,
  inHandler: ({ traceparent }) => traceparent,
  idOf: () => undefined,
};

export function createTracing(isSampled: IsSampled): Tracing {
  const spanOf = (run: TracedRun, spanId: string) =>
    formatTraceparent({ traceId: traceIdOf(run), spanId, sampled: isSampled(traceIdOf(run), parentOf(run)) });
  return {
    afterRun: (run) => spanOf(run, runSpanId(run.id)),
    inHandler: (run, attempt) => spanOf(run, handlerSpanId(run.id, attempt)),
    idOf: traceIdOf,
  };
}
