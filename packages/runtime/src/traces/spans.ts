import {
  type DispatchedJob,
  type Emit,
  type EngineEvent,
  FAILED_STATES,
  isTerminal,
  type RunState,
} from '@escapement/core';
import {
  attemptSpanId,
  handlerSpanId,
  type IsSampled,
  parentOf,
  runSpanId,
  type TracedRun,
  traceIdOf,
} from '@escapement/core/traces';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ChosenIds } from './chosen-ids.ts';

export interface SpanParts {
  tracer: Tracer;
  ids: ChosenIds;
  isSampled: IsSampled;
  now: () => Date;
}

/** The semantic conventions for messaging of OpenTelemetry, as far as a queue of runs fits them. */
const SYSTEM = { 'messaging.system': 'bullmq' };

/**
 * Makes the spans of runs from what a process tells of itself. Each is made when it is over: its id and that of the span above it
 * follow from the run, so that whatever continues it need not wait for it.
 */
export function spansOf(parts: SpanParts): Emit {
  return (event) => {
    switch (event.event) {
      case 'planned':
        return recordJobs('plan', event, parts);
      case 'dispatched':
        return recordJobs('enqueue', event, parts);
      case 'run_finished':
        return endAttempt(event, parts);
      case 'run_lost':
        return recordLost(event, parts);
    }
  };
}

type Jobs = Extract<EngineEvent, { event: 'planned' | 'dispatched' }>;

/** Runs that were planned, or put into the queue, together. */
function recordJobs(what: 'plan' | 'enqueue', { jobs, tookMs, runs }: Jobs, parts: SpanParts): void {
  const end = parts.now();
  const startTime = new Date(end.getTime() - tookMs);
  for (const job of jobs) {
    const run = tracedJob(job);
    if (!run || !isSampled(run, parts)) continue;
    const attributes = {
      'escapement.run.id': run.id,
      'messaging.batch.message_count': runs,
      ...sendAttributes(what, job),
    };
    const kind = what === 'enqueue' ? SpanKind.PRODUCER : SpanKind.INTERNAL;
    const name = what === 'enqueue' ? `enqueue ${job.queue}` : 'plan';
    parts.tracer.startSpan(name, { kind, startTime, attributes }, inRun(run)).end(end);
  }
}

/** Undefined: which trace it belongs to was not looked up. */
function tracedJob({ id, traceparent }: DispatchedJob): TracedRun | undefined {
  return traceparent === undefined ? undefined : { id, traceparent };
}

function sendAttributes(what: 'plan' | 'enqueue', { id, queue, dispatch }: DispatchedJob): Attributes {
  if (what === 'plan') return {};
  return {
    ...SYSTEM,
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'enqueue',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'escapement.run.dispatch': dispatch,
  };
}

type Finished = Extract<EngineEvent, { event: 'run_finished' }>;

function endAttempt(event: Finished, parts: SpanParts): void {
  const { traced, attempt, state } = event;
  const run: TracedRun = { id: event.run, traceparent: traced.traceparent };
  if (!isSampled(run, parts)) return;
  const end = parts.now();
  const common = commonAttributes(event);
  const spanOf = (what: string, spanId: string, options: SpanOptions, above: Context) =>
    parts.ids.as({ traceId: traceIdOf(run), spanId }, () =>
      parts.tracer.startSpan(`${what} ${event.task}`, options, above),
    );

  const attemptId = attemptSpanId(run.id, attempt);
  const attemptSpan = spanOf(
    'attempt',
    attemptId,
    { kind: SpanKind.CONSUMER, startTime: traced.begunAt, attributes: { ...common, ...processAttributes(event) } },
    inRun(run),
  );
  const handlerSpan = spanOf(
    'handler',
    handlerSpanId(run.id, attempt),
    { startTime: traced.calledAt, attributes: { ...common, 'escapement.handler': traced.handler } },
    within(run, attemptId),
  );
  for (const span of [handlerSpan, attemptSpan]) markFailed(span, event);
  handlerSpan.end(traced.returnedAt);
  attemptSpan.end(end);
  if (!isTerminal(state)) return;
  const startTime = earlier(traced.runDueAt, traced.begunAt);
  const attributes = { ...common, 'escapement.run.state': state, 'escapement.run.attempts': attempt };
  const runSpan = spanOf('run', runSpanId(run.id), { startTime, attributes }, aboveRun(run));
  markFailed(runSpan, event);
  runSpan.end(end);
}

type Lost = Extract<EngineEvent, { event: 'run_lost' }>;

/** What its worker would have told died with it. */
function recordLost(event: Lost, parts: SpanParts): void {
  const run: TracedRun = { id: event.run, traceparent: event.traceparent };
  if (!isSampled(run, parts)) return;
  const attributes = {
    'escapement.run.id': event.run,
    'escapement.run.state': event.state,
    'escapement.run.attempts': event.attempt,
    'escapement.worker': event.worker,
    ...(event.task === null ? {} : { 'escapement.task': event.task }),
  };
  const startTime = earlier(event.dueAt, event.startedAt);
  const ids = { traceId: traceIdOf(run), spanId: runSpanId(run.id) };
  const name = event.task === null ? 'run' : `run ${event.task}`;
  const span = parts.ids.as(ids, () => parts.tracer.startSpan(name, { startTime, attributes }, aboveRun(run)));
  markFailed(span, event);
  span.end(parts.now());
}

function commonAttributes({ run, task, pool, traced }: Finished): Attributes {
  return {
    'escapement.run.id': run,
    'escapement.task': task,
    'escapement.pool': pool,
    'escapement.key': traced.key,
    'escapement.run.origin': traced.origin,
  };
}

function processAttributes({ run, attempt, latenessMs, traced }: Finished): Attributes {
  return {
    ...SYSTEM,
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'attempt',
    'messaging.destination.name': traced.queue,
    'messaging.message.id': run,
    'escapement.attempt': attempt,
    'escapement.lateness_ms': latenessMs,
  };
}

type Markable = Pick<ReturnType<Tracer['startSpan']>, 'setStatus' | 'setAttribute'>;

function markFailed(span: Markable, { state, reason }: { state: RunState; reason: string | null }): void {
  if (state !== 'retrying' && !FAILED_STATES.includes(state)) return;
  span.setAttribute('error.type', state === 'retrying' ? 'failed' : state);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(reason === null ? {} : { message: reason }) });
}

function isSampled(run: TracedRun, parts: SpanParts): boolean {
  return parts.isSampled(traceIdOf(run), parentOf(run));
}

function inRun(run: TracedRun): Context {
  return within(run, runSpanId(run.id));
}

function within(run: TracedRun, spanId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(run),
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

/** That of whoever asked for it, or of the run before; none: the trace begins here. */
function aboveRun(run: TracedRun): Context {
  const parent = parentOf(run);
  return parent ? within(run, parent.spanId) : ROOT_CONTEXT;
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
