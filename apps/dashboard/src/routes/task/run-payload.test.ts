import { expect, test } from 'vitest';
import { payloadOf } from './run-payload.ts';

test('nothing is no payload, null is one, and what is not JSON says why', () => {
  expect([payloadOf(' \n'), payloadOf('null'), payloadOf('{"a": [1]}')]).toEqual([
    { kind: 'none' },
    { kind: 'json', value: null },
    { kind: 'json', value: { a: [1] } },
  ]);
  expect(payloadOf('{a: 1}')).toMatchObject({ kind: 'wrong', why: expect.stringContaining('JSON') });
});
