import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import printDocument from './print-document.ts';
import printOrders from './print-orders.ts';

// Side by side, but never two of a kind, is for a fleet to show: test/examples.long.test.ts.

test('each order is printed as invoice and as delivery note, once', async () => {
  const first = await testTask(printOrders);
  const second = await testTask(printOrders, { state: first.state });
  const printed = [...first.chained, ...second.chained];
  expect(new Set(printed.map((run) => JSON.stringify(run.payload))).size).toBe(12);
  expect(printed.every(({ task }) => task === 'print-document')).toBe(true);
  expect(second.state).toEqual({ lastOrder: 6 });
});

test('a document of another kind is not printed', async () => {
  const result = await testTask(printDocument, { payload: { kind: 'poster', number: 1 } as never });
  expect(result).toMatchObject({ status: 'failed', reason: expect.stringContaining('payload.kind') });
});

test('a cancelled document stops printing', async () => {
  const run = testTask(printDocument, { payload: { kind: 'invoice', number: 7 } });
  await run.abort('cancelled');
  expect((await run).status).toBe('cancelled');
});
