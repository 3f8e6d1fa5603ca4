import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newRunId } from '../run-id.ts';
import { attemptSpanId, createTracing, handlerSpanId, NO_TRACING, runSpanId, traceIdOf } from './traced-run.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const ID = '0193a5b0-7b1c-7abc-8def-0123456789ab';
const OTHER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** From the standard's own examples, and its rules in "Versioning of traceparent". */
test.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', true],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', false],
  // Other flags are nobody's business here.
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03', true],
  // A later version may say more.
  ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like', true],
])('%s is read', (text, sampled) => {
  const read = parseTraceparent(text);
  expect(read).toEqual({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled });
});

test.each([
  '',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
  'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more',
])('"%s" is none', (text) => {
  expect(parseTraceparent(text)).toBeNull();
});

test('a run begins a trace of its own id, or continues that of another', () => {
  expect(traceIdOf({ id: ID, traceparent: null })).toBe('0193a5b07b1c7abc8def0123456789ab');
  expect(traceIdOf({ id: ID, traceparent: OTHER })).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  expect(runSpanId(ID)).toBe('8def0123456789ab');
});

test('ids are what the standard allows, for each run and attempt another', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 10, maxLength: 10 }),
      fc.integer({ min: 1, max: 1000 }),
      (random, attempt) => {
        const id = newRunId(new Date('2026-06-01T12:00:00Z'), random);
        const traceId = traceIdOf({ id, traceparent: null });
        const spans = [
          runSpanId(id),
          attemptSpanId(id, attempt),
          handlerSpanId(id, attempt),
          attemptSpanId(id, attempt + 1),
        ];
        expect(new Set(spans).size).toBe(spans.length);
        for (const spanId of spans) {
          const span = { traceId, spanId, sampled: true };
          expect(parseTraceparent(formatTraceparent(span))).toEqual(span);
        }
      },
    ),
  );
});

test('what comes of a run continues it, recorded or not as its trace is', () => {
  const asked: unknown[] = [];
  const tracing = createTracing((traceId, parent) => {
    asked.push([traceId, parent?.sampled]);
    return parent?.sampled ?? false;
  });
  expect(tracing.afterRun({ id: ID, traceparent: OTHER })).toBe(
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${runSpanId(ID)}-01`,
  );
  expect(tracing.inHandler({ id: ID, traceparent: null }, 2)).toBe(
    `00-0193a5b07b1c7abc8def0123456789ab-${handlerSpanId(ID, 2)}-00`,
  );
  expect(asked).toEqual([
    ['4bf92f3577b34da6a3ce929d0e0e4736', true],
    ['0193a5b07b1c7abc8def0123456789ab', undefined],
  ]);
});

test('where nobody records traces, what somebody has given is handed on as it is', () => {
  expect(NO_TRACING.afterRun({ id: ID, traceparent: OTHER })).toBe(OTHER);
  expect(NO_TRACING.inHandler({ id: ID, traceparent: null }, 1)).toBeNull();
});
