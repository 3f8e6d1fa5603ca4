import { describe, expect, test } from 'vitest';
import { expectedStatus } from './expected-status.ts';
import { describeFailure } from './failure.ts';
import { retryAfter } from './retry-after.ts';

describe('expectedStatus', () => {
  test.each([
    [undefined, 200, true],
    [undefined, 299, true],
    [undefined, 302, false],
    [[204], 204, true],
    [[204], 200, false],
    [['200-299', 404], 404, true],
  ])('%j: %i is expected: %s', (spec, status, expected) => {
    expect(expectedStatus(spec).includes(status)).toBe(expected);
  });
});

describe('retryAfter', () => {
  const now = new Date('2025-01-01T00:00:00Z');

  test.each([
    ['120', '2025-01-01T00:02:00.000Z'],
    ['Wed, 01 Jan 2025 00:00:30 GMT', '2025-01-01T00:00:30.000Z'],
    ['99999999', '2025-01-02T00:00:00.000Z'],
  ])('%s', (header, expected) => {
    expect(retryAfter(header, now)?.toISOString()).toBe(expected);
  });

  test.each([undefined, '', '0', 'soon', '-5', 'Tue, 31 Dec 2024 00:00:00 GMT'])('%s asks for nothing', (header) => {
    expect(retryAfter(header, now)).toBeUndefined();
  });
});

describe('describeFailure', () => {
  const url = new URL('https://api.example.com/x');

  test.each([
    ['ENOTFOUND', 'dns', 'the host api.example.com was not found'],
    ['ECONNREFUSED', 'refused', 'nothing listens at api.example.com:443'],
    ['EHOSTUNREACH', 'unreachable', 'no connection to api.example.com:443'],
    ['ECONNRESET', 'closed', 'closed the connection before its answer was complete'],
    ['CERT_HAS_EXPIRED', 'tls', 'NODE_EXTRA_CA_CERTS'],
    ['HPE_INVALID_CONSTANT', 'protocol', 'what is not HTTP'],
    ['EWHATEVER', 'other', 'failed: boom'],
  ])('%s is of the kind %s', (code, kind, words) => {
    const error = describeFailure(Object.assign(new Error('boom'), { code }), url);
    expect(error).toMatchObject({ message: expect.stringContaining(words), fields: { kind, code } });
    expect(error.message).toContain(code);
  });

  test('takes the code of the first of several addresses', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(describeFailure(new AggregateError([refused]), url).fields).toEqual({
      kind: 'refused',
      code: 'ECONNREFUSED',
    });
  });
});
