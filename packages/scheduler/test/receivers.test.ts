import { createHmac } from 'node:crypto';
import type { Json } from '@escapement/core';
import type { AlertMessage, AlertNote, ReceiverSpec } from '@escapement/core/alerts';
import { parseEgress } from '@escapement/core/egress';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, createHttpTarget, type HttpTarget } from '../../service/test/http-target.ts';
import { createMemoryLog } from '../../service/test/memory-log.ts';
import { messageJson } from '../src/alerts/receivers/message-json.ts';
import { createMessageSender, type MessageSenderOptions } from '../src/index.ts';

const NOTE: AlertNote = {
  id: 'default-7',
  state: 'firing',
  rule: 'failed',
  severity: 'critical',
  subject: { task: 'billing/nightly' },
  labels: { task: 'billing/nightly', rule: 'failed', severity: 'critical' },
  summary: 'billing/nightly failed',
  since: new Date('2027-01-01T02:30:00Z'),
  why: ['exit code 3', 'postgres://ann:s3cret@db/shop is away'],
  runs: [],
  logTail: 'connecting to redis://:s3cret@queue\nretry=3 DB_PASSWORD=s3cret\n',
  next: ['escapement runs show 0192f0c1'],
  silence: 'escapement alerts silence task=billing/nightly --until 2h --reason "..."',
};
const MESSAGE: AlertMessage = {
  id: 'default-1',
  namespace: 'default',
  receiver: 'ops',
  group: 'rule=failed',
  notes: [NOTE],
  repeated: false,
};

let target: HttpTarget | undefined;
afterEach(() => target?.close());

function senderOf(options: Partial<MessageSenderOptions> = {}) {
  return createMessageSender({
    log: createMemoryLog().log,
    egress: parseEgress('loopback'),
    secretOf: () => undefined,
    triggerTask: async () => undefined,
    ...options,
  });
}

async function send(
  answer: Answer,
  receiverOf: (url: string) => ReceiverSpec,
  options: Partial<MessageSenderOptions> = {},
) {
  target = await createHttpTarget(() => answer);
  const result = await senderOf(options).send(MESSAGE, receiverOf(target.url));
  return { result, received: target.received };
}

test.each<[string, Answer, (url: string) => ReceiverSpec, string]>([
  ['slack', { status: 200 }, (url) => ({ type: 'slack', url: `${url}/services/T/B/x` }), '/services/T/B/x'],
  ['teams', { status: 202 }, (url) => ({ type: 'teams', url: `${url}/workflows/x` }), '/workflows/x'],
  ['discord', { status: 204 }, (url) => ({ type: 'discord', url: `${url}/api/webhooks/1/x` }), '/api/webhooks/1/x'],
  [
    'pagerduty',
    { status: 202 },
    (url) => ({ type: 'pagerduty', routingKey: 'k', url: `${url}/v2/enqueue` }),
    '/v2/enqueue',
  ],
  ['ntfy', { status: 200 }, (url) => ({ type: 'ntfy', url: `${url}/our-alerts` }), '/'],
  ['alertmanager', { status: 200 }, (url) => ({ type: 'alertmanager', url }), '/api/v2/alerts'],
])('%s is told by a POST of JSON, without what is secret', async (_, answer, receiverOf, path) => {
  const { result, received } = await send(answer, receiverOf);
  expect(result).toMatchObject({ status: 'sent' });
  expect(received).toMatchObject([{ method: 'POST', path, headers: { 'content-type': 'application/json' } }]);
  expect(received[0]?.body).toContain('billing/nightly');
  expect(received[0]?.body).not.toContain('s3cret');
});

test.each([
  [
    400,
    {
      status: 'failed',
      permanent: true,
      error: expect.stringMatching(/^1 of 3 events were refused, the others have arrived: .* status 400$/),
    },
    3,
  ],
  [503, { status: 'failed', permanent: false, error: expect.stringMatching(/status 503$/) }, 2],
])(
  'an event that PagerDuty answers with %i keeps the others from arriving only if it may arrive later',
  async (status, expected, sent) => {
    target = await createHttpTarget(({ body }) => ({ status: body.includes('default-8') ? status : 202 }));
    const notes = ['default-7', 'default-8', 'default-9'].map((id) => ({ ...NOTE, id }));
    const receiver: ReceiverSpec = { type: 'pagerduty', routingKey: 'k', url: `${target.url}/v2/enqueue` };
    expect(await senderOf().send({ ...MESSAGE, notes }, receiver)).toMatchObject(expected);
    expect(target.received).toHaveLength(sent);
  },
);

test('what is kept of a message is as it was sent: without what is secret', () => {
  const text = senderOf().render(MESSAGE);
  expect(text).toContain('billing/nightly failed');
  expect(text).not.toContain('s3cret');
});

describe('a webhook', () => {
  test('gets our own JSON, signed with each secret, with an id that stays the same', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const { received } = await send({ status: 204 }, (url) => ({ type: 'webhook', url }), { webhookSecrets: [secret] });
    const { headers, body } = received[0] ?? {};
    expect(JSON.parse(body ?? '')).toMatchObject({
      ...messageJson(MESSAGE),
      alerts: [{ id: 'default-7', summary: NOTE.summary }],
    });
    const signed = `default-1.${headers?.['webhook-timestamp']}.${body}`;
    expect(headers).toMatchObject({
      'webhook-id': 'default-1',
      'idempotency-key': 'default-1',
      'webhook-signature': `v1,${createHmac('sha256', Buffer.alloc(32, 1)).update(signed).digest('base64')}`,
    });
  });

  test.each([
    [500, false],
    [503, false],
    [429, false],
    [408, false],
    [400, true],
    [404, true],
    [301, true],
  ])('that answers %i is final: %s', async (status, permanent) => {
    const { result } = await send({ status }, (url) => ({ type: 'webhook', url: `${url}/hooks/s3cret` }));
    expect(result).toMatchObject({ status: 'failed', permanent });
    expect(JSON.stringify(result)).not.toContain('s3cret');
  });

  test('says when to come again', async () => {
    const { result } = await send({ status: 429, headers: { 'retry-after': '90' } }, (url) => ({
      type: 'webhook',
      url,
    }));
    expect(result).toMatchObject({ permanent: false, retryAfterMs: expect.closeTo(90_000, -3) });
  });

  test('that asks for a pause of years is asked again in a day', async () => {
    const { result } = await send({ status: 503, headers: { 'retry-after': '99999999' } }, (url) => ({
      type: 'webhook',
      url,
    }));
    expect(result).toMatchObject({ permanent: false, retryAfterMs: expect.closeTo(86_400_000, -4) });
  });

  test('that is not open to this fleet is not called', async () => {
    const { result, received } = await send({ status: 200 }, (url) => ({ type: 'webhook', url }), {
      egress: parseEgress('public'),
    });
    expect(result).toMatchObject({ status: 'failed', permanent: true });
    expect(received).toEqual([]);
  });
});

test('what a receiver hides comes from the environment, and is named where it is missing', async () => {
  const receiver: ReceiverSpec = { type: 'slack', url: { secret: 'OPS_SLACK' } };
  target = await createHttpTarget(() => ({ status: 200 }));
  const { url } = target;
  expect(
    await senderOf({ secretOf: (name) => (name === 'OPS_SLACK' ? url : undefined) }).send(MESSAGE, receiver),
  ).toMatchObject({ status: 'sent' });
  expect(await senderOf().send(MESSAGE, receiver)).toEqual({
    status: 'failed',
    permanent: true,
    error: 'not sent: this scheduler has no ESCAPEMENT_RECEIVER_OPS_SLACK; set it for all schedulers',
  });
});

test('a task is told with the message as its payload, at most 64 KiB of it, and never of itself', async () => {
  const started: [string, Json][] = [];
  const sender = senderOf({ triggerTask: async (...given) => void started.push(given) });
  const many = {
    ...MESSAGE,
    notes: Array.from({ length: 300 }, (_, index) => ({ ...NOTE, id: `default-${index}`, logTail: 'ü'.repeat(8000) })),
  };
  expect(await sender.send(many, { type: 'task', task: 'page-somebody' })).toMatchObject({ status: 'sent' });
  expect(Buffer.byteLength(JSON.stringify(started[0]?.[1]))).toBeLessThanOrEqual(64 * 1024);
  expect(started[0]).toMatchObject(['page-somebody', { state: 'firing', text: 'failed: 300 alerts' }]);
  expect(await sender.send(MESSAGE, { type: 'task', task: 'billing/nightly' })).toMatchObject({
    status: 'failed',
    permanent: true,
  });
  expect(started).toHaveLength(1);
});
