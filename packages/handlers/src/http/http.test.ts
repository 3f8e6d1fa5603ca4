import { describe, expect, test } from 'vitest';
import { describeFailure } from './failure.ts';
import { expectedStatus, retriedStatus } from './status-ranges.ts';

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

describe('retriedStatus', () => {
  test.each([
    [undefined, 500, true],
    [undefined, 503, true],
    [undefined, 408, true],
    [undefined, 425, true],
    [undefined, 429, true],
    [undefined, 404, false],
    [undefined, 302, false],
    [[409], 409, true],
    [[409], 500, false],
    [[], 500, false],
  ])('%j: %i is tried again: %s', (spec, status, retried) => {
    expect(retriedStatus(spec).includes(status)).toBe(retried);
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
