import { pathToFileURL } from 'node:url';
import { type Emit, EscapementError, SECOND, systemClock } from '@escapement/core';
import { createTracing, type IsSampled, type Tracing } from '@escapement/core/traces';
import { type Environment, withVariables } from '@escapement/service';
import { type DiagLogger, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type BatchSpanProcessorOptions,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createChosenIds } from './chosen-ids.ts';
import { samplerFrom } from './sampler.ts';
import { spansOf } from './spans.ts';

export interface TracesOptions {
  /** `otlp`, or a module whose default export makes an exporter. */
  to: string;
  /** Where the OTEL_ variables are. */
  env: Environment;
  role: string;
  version: string;
  /** The process. */
  instance: string;
  namespace: string;
  /** Told of spans that could not be delivered. */
  onError: (error: unknown) => void;
}

/** Records the traces of runs. */
export interface Traces {
  tracing: Tracing;
  /** Makes spans of what the process tells of itself. */
  record: Emit;
  /** Delivers what is still here. Never rejects. */
  stop(): Promise<void>;
}

/** A process that ends does not wait for longer: what is lost is a picture of the past, not a run. */
const STOP_MS = 2 * SECOND;

/** Throws `bad_sampler`, `bad_exporter`. */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { env, onError } = options;
  const sampler = samplerFrom(env);
  const exporter = await exporterOf(options);
  const ids = createChosenIds();
  setGlobalErrorHandler((error) => onError(notDelivered(error)));
  diag.setLogger(warningsTo(onError), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new TracerProvider({
    sampler,
    idGenerator: ids,
    resource: resourceOf(options),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchingFrom(env) })],
  });
  const isSampled = askOf(sampler);
  const tracer = provider.getTracer('escapement', options.version);
  return {
    tracing: createTracing(isSampled),
    record: spansOf({ tracer, ids, isSampled, now: () => systemClock.now() }),
    stop: () => Promise.race([provider.shutdown().catch((error) => onError(notDelivered(error))), pause(STOP_MS)]),
  };
}

/** Spans that are lost cost no run: whoever looks for them is to know why they are not there. */
function notDelivered(error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  return new Error(`spans were not delivered: ${why}; see OTEL_EXPORTER_OTLP_ENDPOINT`);
}

async function exporterOf({ to, env }: TracesOptions): Promise<SpanExporter> {
  // Where to, with which headers and certificates: it reads the variables of the specification itself.
  if (to === 'otlp') return withVariables(env, isOfOpenTelemetry, () => new OTLPTraceExporter());
  const loaded: { default?: unknown } = await import(pathToFileURL(to).href).catch((cause) => {
    throw badExporter(to, cause instanceof Error ? cause.message : String(cause));
  });
  const exporter = typeof loaded.default === 'function' ? await loaded.default() : loaded.default;
  if (isExporter(exporter)) return exporter;
  throw badExporter(to, 'its default export is neither a SpanExporter nor a function that makes one');
}

function isExporter(given: unknown): given is SpanExporter {
  return typeof given === 'object' && given !== null && 'export' in given && 'shutdown' in given;
}

function badExporter(path: string, why: string): EscapementError {
  return new EscapementError('bad_exporter', `ESCAPEMENT_OTEL names ${path}, which cannot be used: ${why}`, {
    fix: 'use `otlp`, or a module whose default export is a SpanExporter of OpenTelemetry',
  });
}

const isOfOpenTelemetry = (name: string) => name.startsWith('OTEL_');

function resourceOf({ env, role, version, instance, namespace }: TracesOptions) {
  const own = resourceFromAttributes({
    'service.name': `escapement-${role}`,
    'service.version': version,
    'service.instance.id': instance,
    'escapement.namespace': namespace,
  });
  const given = withVariables(env, isOfOpenTelemetry, () => detectResources({ detectors: [envDetector] }));
  return defaultResource().merge(own).merge(given);
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#batch-span-processor */
function batchingFrom(env: Environment): Omit<BatchSpanProcessorOptions, 'exporter'> {
  const given = {
    scheduledDelayMillis: numberOf(env.OTEL_BSP_SCHEDULE_DELAY),
    exportTimeoutMillis: numberOf(env.OTEL_BSP_EXPORT_TIMEOUT),
    maxQueueSize: numberOf(env.OTEL_BSP_MAX_QUEUE_SIZE),
    maxExportBatchSize: numberOf(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Whatever is no number is ignored, as the specification says. */
function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

function askOf(sampler: Sampler): IsSampled {
  return (traceId, parent) => {
    const context = parent
      ? trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: parent.spanId,
          traceFlags: parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
          isRemote: true,
        })
      : ROOT_CONTEXT;
    const { decision } = sampler.shouldSample(context, traceId, 'run', SpanKind.INTERNAL, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}

function warningsTo(onError: (error: unknown) => void): DiagLogger {
  const report = (message: string) => onError(new Error(message));
  const nothing = () => undefined;
  return { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
