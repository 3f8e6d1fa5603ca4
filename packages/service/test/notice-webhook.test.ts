import { createHmac } from 'node:crypto';
import { DEFAULT_EGRESS, parseEgress } from '@escapement/core';
import { afterEach, expect, test } from 'vitest';
import { createNoticeSender, type Notice, noticeJson } from '../src/notice/index.ts';
import { type Answer, createHttpTarget, type HttpTarget } from './http-target.ts';
import { createMemoryLog } from './memory-log.ts';

const LOCAL = parseEgress('loopback');

const notice: Notice = {
  id: 'n1',
  namespace: 'default',
  taskName: 'report',
  runId: '0192f0c1-0000-7000-8000-000000000001',
  state: 'timed_out',
  attempt: 3,
  scheduledFor: new Date('2026-03-01T02:30:00.000Z'),
  endedAt: new Date('2026-03-01T03:30:00.000Z'),
};

let target: HttpTarget | undefined;
afterEach(() => target?.close());

async function send(answer: Answer) {
  target = await createHttpTarget(() => answer);
  const { log, lines } = createMemoryLog();
  const sender = createNoticeSender({ log, egress: LOCAL });
  const result = await sender.send(notice, { kind: 'webhook', url: `${target.url}/hooks/s3cret` });
  return { result, received: target.received, lines };
}

test('the notice is POSTed as JSON, with an id that stays the same when it is sent again', async () => {
  const { result, received } = await send({ status: 204 });
  expect(result.status).toBe('sent');
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    method: 'POST',
    path: '/hooks/s3cret',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'n1' },
  });
  expect(JSON.parse(received[0]?.body ?? '')).toEqual(noticeJson(notice));
});

test('a notice is signed with each secret of the fleet, anew at each try', async () => {
  target = await createHttpTarget(() => ({ status: 204 }));
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const sender = createNoticeSender({ log: createMemoryLog().log, egress: LOCAL, webhookSecrets: [secret] });
  await sender.send(notice, { kind: 'webhook', url: target.url });
  const { headers, body } = target.received[0] ?? {};
  const signed = `n1.${headers?.['webhook-timestamp']}.${body}`;
  expect(headers).toMatchObject({
    'webhook-id': 'n1',
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': `v1,${createHmac('sha256', Buffer.alloc(32, 1)).update(signed).digest('base64')}`,
  });
});

test.each([
  [500, false],
  [503, false],
  [429, false],
  [408, false],
  [400, true],
  [401, true],
  [404, true],
  [302, true],
])('status %d: permanent is %s', async (status, permanent) => {
  const { result, received } = await send({ status, headers: { location: '/elsewhere' } });
  expect(result).toMatchObject({ status: 'failed', permanent });
  expect(received).toHaveLength(1);
});

test('a receiver may say when to come again', async () => {
  const { result } = await send({ status: 429, headers: { 'retry-after': '30' } });
  expect(result).toMatchObject({ permanent: false, retryAfterMs: 30_000 });
});

test.each([
  ['99999999', 86_400_000],
  ['1e300', undefined],
  ['-5', undefined],
  ['soon', undefined],
])('a receiver that says %s is asked again in a day at the latest', async (header, retryAfterMs) => {
  const { result } = await send({ status: 503, headers: { 'retry-after': header } });
  expect(result).toEqual({
    status: 'failed',
    permanent: false,
    error: expect.any(String),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
});

test('neither result nor log shows the path, which is the secret', async () => {
  const { result, lines } = await send({ status: 404 });
  expect(JSON.stringify([result, lines])).not.toContain('s3cret');
  expect(result).toMatchObject({ error: expect.stringContaining('status 404') });
});

test('a receiver that is away is worth another try', async () => {
  target = await createHttpTarget(() => undefined);
  await target.close();
  const sender = createNoticeSender({ log: createMemoryLog().log, egress: LOCAL });
  expect(await sender.send(notice, { kind: 'webhook', url: target.url })).toMatchObject({
    status: 'failed',
    permanent: false,
    error: expect.stringContaining('ECONNREFUSED'),
  });
});

test('what is no URL fails for good', async () => {
  const sender = createNoticeSender({ log: createMemoryLog().log, egress: LOCAL });
  expect(await sender.send(notice, { kind: 'webhook', url: 'nowhere' })).toMatchObject({ permanent: true });
});

test.each([
  ['127.0.0.1', undefined],
  ['[::ffff:127.0.0.1]', undefined],
  ['rebind.example', '127.0.0.1'],
])('a webhook at %s is not called, for good, and the notice says which rule', async (host, address) => {
  target = await createHttpTarget(() => ({ status: 204 }));
  const sender = createNoticeSender({
    log: createMemoryLog().log,
    egress: DEFAULT_EGRESS,
    resolve: (_host, _options, callback) => callback(null, [{ address: address ?? '1.1.1.1', family: 4 }]),
  });
  const url = `http://${host}:${new URL(target.url).port}/`;
  expect(await sender.send(notice, { kind: 'webhook', url })).toMatchObject({
    status: 'failed',
    permanent: true,
    error: expect.stringMatching(/rule "loopback" \(127\.0\.0\.0\/8\); ESCAPEMENT_EGRESS is "public"/),
  });
  expect(target.received).toEqual([]);
});
