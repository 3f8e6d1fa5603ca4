import { type FuzzTarget, fuzz, fuzzOptions } from '@escapement/testkit/fuzz';
import { expect, test } from 'vitest';
import { judgeUrl, parseEgress } from './egress/index.ts';
import { EscapementError } from './errors.ts';
import { admitJson } from './json.ts';
import { checkKeyTemplate, renderKey } from './key.ts';
import { maskCommand, maskText, maskWith } from './mask/index.ts';
import { checkPayloadTemplate, renderPayload } from './payload-template.ts';
import { parseRunQuery } from './run-query/index.ts';
import { nextFire, parseSchedule } from './schedule/index.ts';
import { scheduleSpec } from './schedule/spec.ts';
import { judgeSecret, parseSecretRules } from './secrets/index.ts';

const AFTER = new Date('2026-01-01T00:00:00Z');

/** JSON as a command line or an API takes it: what is none is told by whoever reads it. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EscapementError('bad_json', 'not JSON');
  }
}

function fires(spec: unknown): void {
  const { data } = scheduleSpec.safeParse(spec);
  if (data) nextFire(parseSchedule(data, { seed: 'a' }), AFTER);
}

const SECRETS = ['hunter22', 'hunter"22', 'line of a key\nanother line'];

const TARGETS: Record<string, FuzzTarget> = {
  'cron expressions': {
    corpus: [
      '*/5 9-17 * * mon-fri',
      '0 0 L-3W * *',
      '0 0 29 2 1#5',
      'H H(0-7) * * *',
      '@daily',
      '0 0 0 ? * 6L 2030',
      '~ ~ * * *',
    ],
    words: ['L', 'W', '#5', 'H', 'H(0-7)', '*/7', '59', 'jan-dec', 'sun', '@', '~', '0-59/2', '1,2,3'],
    run: (expression) => fires({ kind: 'cron', expression, timeZone: 'America/New_York' }),
  },
  'queries for runs': {
    corpus: [
      'state:failed,timed_out task:nightly-* since:-24h',
      'error:"say \\"no\\"" key:"eu, west" label:team=shop,env=a|b',
      'until:2026-04-01',
    ],
    words: ['state:', 'open', 'task:', 'origin:rerun', 'since:', '-7d', '"', '\\"', ',', ':', '2026-02-30', '+'],
    run: (query) => parseRunQuery(query, { now: AFTER, timeZone: 'America/New_York' }),
  },
  'recurrence rules': {
    corpus: [
      'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYSETPOS=-1',
      'FREQ=MONTHLY;BYDAY=2TU,-1FR;INTERVAL=3;COUNT=20',
      'FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR;BYHOUR=9;BYMINUTE=0,30',
      'FREQ=SECONDLY;INTERVAL=99999999;BYMONTH=2;BYMONTHDAY=29',
      'FREQ=WEEKLY;WKST=SU;UNTIL=20301231T000000Z',
    ],
    words: [
      'FREQ=',
      'HOURLY',
      'BYSETPOS=',
      'BYYEARDAY=-366',
      'BYDAY=',
      'MO',
      '-53',
      'COUNT=10000',
      'UNTIL=',
      ';',
      '366',
    ],
    run: (rule) => fires({ kind: 'rrule', rule, dtStart: '1990-01-01T00:00:00', timeZone: 'Europe/Berlin' }),
  },
  schedules: {
    corpus: [
      '{"kind":"every","everyMs":60000,"phaseMs":500,"jitterMs":100}',
      '{"kind":"cron","expression":"0 9 * * *","timeZone":"Europe/Berlin","dialect":"quartz","dayMatch":"and"}',
      '{"kind":"once","at":"2030-01-01T00:00:00Z"}',
      '{"kind":"fixed-delay","delayMs":1000,"startAt":"2026-01-01T00:00:00Z","endAt":"2027-01-01T00:00:00Z"}',
    ],
    words: [
      '"kind"',
      '"every"',
      '"timeZone"',
      '"UTC"',
      '"Asia/Kathmandu"',
      '"jitterMs"',
      '1e15',
      '"maxRuns"',
      '"2026-02-30T25:00:00Z"',
    ],
    run: (text) => fires(jsonOf(text)),
  },
  'payload templates': {
    corpus: ['{"a":"{{output.a.b}} of {{ payload.x }}","b":["{{run.id}}"],"c":"{{output}}"}', '"{{payload.list.0}}"'],
    words: [
      '{{',
      '}}',
      'output',
      '.a',
      'payload',
      'run.id',
      '{{output.__proto__}}',
      '{{payload.constructor}}',
      '{{ }}',
    ],
    run(text) {
      const template = admitJson(jsonOf(text), 'the template');
      checkPayloadTemplate(template);
      renderPayload(template, { output: { a: { b: 1 } }, payload: { x: '{{output}}', list: [1] }, run: { id: 'r' } });
    },
  },
  'payloads of triggers': {
    corpus: [
      '{"tenant":"a","count":3,"deep":[[[{"x":null}]]],"text":"\\u00e4\\ud83e\\udd14"}',
      '[1,2.5e3,true]',
      '"text"',
    ],
    words: ['{"a":', '[', ']', '}', '"\\u0000"', '"\\ud800"', '"__proto__":{}', '1e400', ',', '"tenant"'],
    run: (text) => renderKey('k-{{payload.tenant}}', admitJson(jsonOf(text), 'the payload')),
  },
  'keys of tasks': {
    corpus: ['billing-{{payload.tenant}}-{{payload.a.b}}', 'plain'],
    words: ['{{payload.', '}}', '{{', 'tenant', '.', '__proto__', '{{payload}}'],
    run(template) {
      checkKeyTemplate(template);
      renderKey(template, { tenant: 'a', a: { b: 1 } });
    },
  },
  'where requests may go': {
    corpus: ['public,10.0.0.0/8:443,[fd12::]/16', '*.corp:8000-8999', 'loopback', '169.254.169.254/32'],
    words: ['public', 'private', '/32', ':443', '[::1]', '::ffff:', '0x7f', '*.', 'a'.repeat(60), '1-65535'],
    run: (text) => judgeUrl(parseEgress(text), new URL('http://10.0.0.1')),
  },
  'text with secrets': {
    corpus: [
      'connect postgres://app:pw@db/jobs?sslmode=x&token=y failed',
      'Authorization: Bearer abcdefghijkl',
      'a://b:c@d',
    ],
    words: ['://', '@', ':', '?', '&token=', 'Bearer ', 'a.b.c+', 'http://', '"', '/'],
    run: maskText,
  },
  'commands with secrets': {
    corpus: [
      'PGPASSWORD="a b" psql -h db',
      'curl -u app:pw -H "X-Api-Key: x" https://a:b@x.example',
      'mysql -h db -ppw a',
    ],
    words: ['--token ', 'PASSWORD=', '-u ', ' -p', "'", '"', 'mysql ', 'redis-cli ', '-a ', ';', '|'],
    run: maskCommand,
  },
  'output with secrets': {
    corpus: ['the key is hunter22, {"key":"hunter\\"22"}…', Buffer.from('app:hunter22').toString('base64')],
    words: ['hunter', 'hunt', '22', '…', '\\"', '%22', 'aHVudGVyMjI=', '***'],
    run(text) {
      const shown = maskWith(SECRETS, text);
      if (SECRETS.some((secret) => shown.includes(secret))) throw new Error(`shows a secret: ${shown}`);
    },
  },
  'bounds of secrets': {
    corpus: ['A_* tasks=shop-*|report pools=a hosts=*.example:443, B', 'C hosts=[::1]:80|10.0.0.1'],
    words: ['tasks=', 'hosts=', 'pools=', '|', '*', ',', ' ', 'a*'.repeat(60), '0x7f', ':99999'],
    run: (text) =>
      judgeSecret(parseSecretRules(text), 'A_B', {
        task: 'a'.repeat(200),
        pool: 'a',
        url: new URL('http://x.example'),
      }),
  },
};

test.each(Object.entries(TARGETS))(
  '%s: no input crashes or holds a processor up',
  { timeout: 600_000 },
  async (_, target) => {
    expect(await fuzz(target, fuzzOptions(process.env))).toEqual([]);
  },
);
