import { context, trace } from '@opentelemetry/api';
import { StackContextManager } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { withinTrace } from './within-trace.ts';

const GIVEN = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
context.setGlobalContextManager(new StackContextManager());
const active = () => trace.getSpanContext(context.active());

test('what a handler begins is a part of the trace of its run', async () => {
  expect(await withinTrace(GIVEN, active)).toMatchObject({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    traceFlags: 1,
    isRemote: true,
  });
});

test.each([null, 'none of W3C'])('with %j there is no trace', async (given) => {
  expect(await withinTrace(given, active)).toBeUndefined();
});

test('it gives back what the handler does, and rejects as it does', async () => {
  expect(await withinTrace(GIVEN, async () => 7)).toBe(7);
  await expect(withinTrace(GIVEN, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
