import { DAY } from '@escapement/core';
import type { AlertMessage, AlertNote } from '@escapement/core/alerts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filled, messageJson } from './message-json.ts';
import { type HttpReceiver, requestsFor } from './requests.ts';
import { headline, messageSubject, messageText } from './text.ts';

const NOW = new Date('2027-01-01T12:00:00Z');
/** That a route may say. */
const LONGEST_REPEAT_MS = 30 * DAY;
const reveal = (value: string | { secret: string }) => (typeof value === 'string' ? value : `revealed-${value.secret}`);

const text = fc.oneof(
  fc.string({ maxLength: 200, unit: 'binary' }),
  fc.constantFrom(
    '<!channel> @everyone ```\n# {{summary}}',
    'ü'.repeat(6000),
    '🔥'.repeat(3000),
    '"\\\u0000'.repeat(2000),
  ),
);
const note: fc.Arbitrary<AlertNote> = fc.record({
  id: fc.uuid(),
  state: fc.constantFrom('firing', 'resolved'),
  rule: fc.constantFrom('failed', 'no-success'),
  severity: fc.constantFrom('critical', 'warning', 'info'),
  subject: fc.constant({ fleet: true }),
  labels: fc.constant({ task: 'billing/nightly', 'app.kubernetes.io/name': 'x', rule: 'failed' }),
  summary: text,
  since: fc.constant(NOW),
  why: fc.array(text, { maxLength: 3 }),
  runs: fc.constant([]),
  logTail: text,
  next: fc.array(text, { maxLength: 2 }),
  silence: text,
});
const message: fc.Arbitrary<AlertMessage> = fc.record({
  id: fc.uuid(),
  namespace: fc.constantFrom('default', 'eu'),
  receiver: fc.constant('ops'),
  group: fc.constant('rule=failed'),
  notes: fc.oneof(
    fc.array(note, { minLength: 1, maxLength: 4 }),
    note.map((one) => Array.from({ length: 300 }, (_, index) => ({ ...one, id: `${one.id}-${index}` }))),
  ),
  repeated: fc.boolean(),
});

// biome-ignore lint/suspicious/noExplicitAny: what providers take is JSON of many forms
type Body = any;

function bodies(given: AlertMessage, receiver: HttpReceiver): Body[] {
  return requestsFor(given, receiver, reveal, NOW).map(({ body }) => JSON.parse(JSON.stringify(body)));
}
const holds = (receiver: HttpReceiver, check: (bodies: Body[], given: AlertMessage) => void) =>
  fc.assert(
    fc.property(message, (given) => check(bodies(given, receiver), given)),
    { numRuns: 60 },
  );

describe('whatever a message says, what is sent is what the provider documents', () => {
  test('slack', () => {
    holds({ type: 'slack', url: 'https://hooks.slack.com/services/x' }, ([body]) => {
      expect(body.blocks.length).toBeLessThanOrEqual(50);
      expect(body.text).not.toMatch(/<!|<@/);
      const lengths: number[] = body.blocks.map((block: { text: { text: string } }) => block.text.text.length);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(12_300);
      for (const block of body.blocks) {
        expect(block.text.text.length).toBeGreaterThan(0);
        expect(block.text.text.length).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3000);
        if (block.type === 'section') expect(block.text.text).not.toMatch(/<!|<@/);
      }
    });
  });

  test('teams', () => {
    holds({ type: 'teams', url: 'https://example.com/workflow' }, ([body]) => {
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(28 * 1024);
      expect(body).toMatchObject({
        type: 'message',
        attachments: [
          { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', version: '1.4' } },
        ],
      });
    });
  });

  test('discord', () => {
    holds({ type: 'discord', url: 'https://discord.com/api/webhooks/x' }, ([body]) => {
      expect(body.allowed_mentions).toEqual({ parse: [] });
      expect(body.content.length).toBeLessThanOrEqual(2000);
      expect(body.embeds.length).toBeLessThanOrEqual(10);
      const sizes = body.embeds.map(({ title, description }: Body) => {
        expect(title.length).toBeLessThanOrEqual(256);
        expect(description.length).toBeLessThanOrEqual(4096);
        return title.length + description.length;
      });
      expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBeLessThanOrEqual(6000);
    });
  });

  test('pagerduty: an event for each alert, by a key that stays the same', () => {
    holds({ type: 'pagerduty', routingKey: { secret: 'PD' } }, (events, { notes }) => {
      expect(events.map(({ dedup_key }) => dedup_key)).toEqual(notes.map(({ id }) => `escapement-${id}`));
      for (const [index, event] of events.entries()) {
        expect(event.routing_key).toBe('revealed-PD');
        expect(event.event_action).toBe(notes[index]?.state === 'firing' ? 'trigger' : 'resolve');
        if (event.event_action !== 'trigger') continue;
        expect(event.payload.summary.length).toBeLessThanOrEqual(1024);
        expect(event.payload.source).not.toBe('');
        expect(['critical', 'error', 'warning', 'info']).toContain(event.payload.severity);
        expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(512 * 1024);
      }
    });
  });

  test('ntfy', () => {
    holds({ type: 'ntfy', url: 'https://ntfy.example.com/base/our-alerts', token: { secret: 'NTFY' } }, ([body]) => {
      expect(body.topic).toBe('our-alerts');
      expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(4096);
      expect(body.priority).toBeGreaterThanOrEqual(1);
      expect(body.priority).toBeLessThanOrEqual(5);
    });
    const [one] = fc.sample(message, 1);
    if (!one) throw new Error('no sample');
    expect(
      requestsFor(
        one,
        { type: 'ntfy', url: 'https://ntfy.example.com/base/our-alerts', token: { secret: 'T' } },
        reveal,
        NOW,
      ),
    ).toMatchObject([{ url: 'https://ntfy.example.com/base/', headers: { authorization: 'Bearer revealed-T' } }]);
  });

  test('alertmanager', () => {
    holds({ type: 'alertmanager', url: 'http://alertmanager:9093/' }, ([alerts], { notes }) => {
      expect(alerts).toHaveLength(notes.length);
      // Each `expect` takes its time, and there are thousands of labels.
      const wrong = alerts.filter(
        ({ labels, startsAt, endsAt }: { labels: object; startsAt: string; endsAt: string }) =>
          !('alertname' in labels) ||
          Object.entries(labels).some(([name, value]) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) || value === '') ||
          !(Date.parse(endsAt) >= Date.parse(startsAt)),
      );
      expect(wrong).toEqual([]);
    });
  });

  test('alertmanager: what fires does not end there before it is sent again', () => {
    holds({ type: 'alertmanager', url: 'http://alertmanager:9093/' }, ([alerts], { notes }) => {
      const firing = notes.flatMap(({ state }, index) => (state === 'firing' ? [alerts[index]] : []));
      for (const { endsAt } of firing.slice(0, 3))
        expect(Date.parse(endsAt) - NOW.getTime()).toBeGreaterThan(LONGEST_REPEAT_MS);
    });
  });

  test('mail: one line as subject, and no line break of a text begins a header', () => {
    fc.assert(
      fc.property(message, (given) => {
        expect(messageSubject(given)).not.toMatch(/[\r\n]/);
        expect(messageSubject(given).length).toBeLessThanOrEqual(200);
        expect(messageText(given).length).toBeLessThan(400_000);
      }),
      { numRuns: 60 },
    );
  });
});

test('what a job elsewhere is called is its source in PagerDuty, and a value of templates', () => {
  const [given] = fc.sample(message, 1);
  const [note] = given?.notes ?? [];
  if (!given || !note) throw new Error('no sample');
  const told = {
    ...given,
    notes: [{ ...note, state: 'firing' as const, labels: { monitor: 'backup', task: 'a label' } }],
  };
  expect(filled('{{monitor}}', told)).toBe('backup');
  const [event] = requestsFor(told, { type: 'pagerduty', routingKey: 'k' }, String, note.since);
  expect(event?.body).toMatchObject({ payload: { source: 'backup' } });
});

test('of alerts that are too many for one message their number is told', () => {
  const [given] = fc.sample(message, 1);
  const [note] = given?.notes ?? [];
  if (!given || !note) throw new Error('no sample');
  const told = {
    ...given,
    repeated: false,
    notes: [{ ...note, state: 'resolved' as const }],
    more: { firing: 9000, resolved: 998 },
  };
  expect(headline(told)).toBe(`${note.rule}: 9000 alerts, 999 resolved`);
  expect(messageJson(told)).toMatchObject({ state: 'firing', more: { firing: 9000, resolved: 998 } });
  expect(messageText(told)).toContain('and 9998 more');
  for (const type of ['slack', 'discord'] as const) {
    const [request] = requestsFor(told, { type, url: 'https://chat.example.com/x' }, String, note.since);
    expect(JSON.stringify(request?.body)).toMatch(/9998/);
  }
});

test('a template is filled in its strings, and nothing in a value can become anything else', () => {
  const [given] = fc.sample(message, 1);
  if (!given) throw new Error('no sample');
  const told = { ...given, notes: [{ ...(given.notes[0] as AlertNote), summary: '", "admin": true, "x": "{{task}}' }] };
  expect(
    filled({ title: 'Escapement: {{task}}', nested: [{ state: '{{state}}' }], count: 3, odd: '{{unknown}}' }, told),
  ).toEqual({
    title: 'Escapement: billing/nightly',
    nested: [{ state: told.notes[0]?.state }],
    count: 3,
    odd: '{{unknown}}',
  });
  expect(Object.keys(filled({ text: '{{summary}}' }, told) as object)).toEqual(['text']);
});
