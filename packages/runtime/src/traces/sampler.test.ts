import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { samplerFrom } from './sampler.ts';

const IDS = Array.from(
  { length: 1000 },
  (_, index) => `0193a5b07b1c7abc8def${(index * 4_294_967).toString(16).padStart(12, '0')}`,
);
const unrecorded = (traceId: string) =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: '00f067aa0ba902b7', traceFlags: 0, isRemote: true });

/** How many of the traces are recorded. */
function recorded(env: Record<string, string>, contextOf: typeof unrecorded = () => ROOT_CONTEXT): number {
  const sampler = samplerFrom(env);
  return IDS.filter(
    (id) =>
      sampler.shouldSample(contextOf(id), id, 'run', SpanKind.INTERNAL, {}, []).decision ===
      SamplingDecision.RECORD_AND_SAMPLED,
  ).length;
}

test('all are recorded but what others do not record, unless the variables say otherwise', () => {
  expect(recorded({})).toBe(1000);
  expect(recorded({}, unrecorded)).toBe(0);
  expect(recorded({ OTEL_TRACES_SAMPLER: 'always_on' }, unrecorded)).toBe(1000);
  expect(recorded({ OTEL_TRACES_SAMPLER: 'always_off' })).toBe(0);
  expect(recorded({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).toBe(0);
});

test('a share of them, always the same ones', () => {
  const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  expect(recorded(env)).toBeGreaterThan(50);
  expect(recorded(env)).toBeLessThan(150);
  expect(recorded(env)).toBe(recorded(env));
});

test.each([
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER is "jaeger_remote"'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG is "2"'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 'OTEL_TRACES_SAMPLER_ARG is "half"'],
])('%j is refused', (env, message) => {
  expect(() => samplerFrom(env)).toThrow(message);
});
