import { parseTraceparent } from '@escapement/core/traces';

/**
 * Calls `work` so that the spans it begins are parts of the trace, if its program has set up OpenTelemetry. Null: there is none, and
 * nothing of OpenTelemetry is loaded.
 */
export async function withinTrace<Result>(
  traceparent: string | null,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const parent = traceparent === null ? null : parseTraceparent(traceparent);
  if (!parent) return await work();
  const { context, ROOT_CONTEXT, TraceFlags, trace } = await import('@opentelemetry/api');
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const above = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  return await context.with(above, work);
}
