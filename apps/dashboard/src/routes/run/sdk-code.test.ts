import { expect, test } from 'vitest';
import { sdkCode } from './sdk-code.ts';

test('code that starts a task again has its name and its payload, if it had one of its own', () => {
  expect(sdkCode({ taskName: 'send-invoice', payload: { invoice: 4711 } })).toContain(
    'escapement.trigger("send-invoice", {\n  "invoice": 4711\n});',
  );
  expect(sdkCode({ taskName: 'the "shop"', payload: null })).toContain('escapement.trigger("the \\"shop\\"");');
});
