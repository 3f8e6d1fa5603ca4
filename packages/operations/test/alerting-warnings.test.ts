import { MINUTE } from '@escapement/core';
import { type AlertingInput, DEFAULT_ALERTING } from '@escapement/core/alerts';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { createMonitor, knownToAlerts, saveAlerting, withoutReceiver } from '../src/index.ts';

const { db, save } = await testFleet();
const ANN = by('ann');
await save({ name: 'billing/nightly', labels: { team: 'shop' }, pool: 'batch' });
const schedule = { kind: 'fixed-delay', delayMs: 60 * MINUTE } as const;
await createMonitor(db, 'backup', { schedule, labels: { team: 'db' } }, ANN);

const failed = { kind: 'failed' } as const;
const missed = { kind: 'monitor-missed' } as const;
const warnings = async (document: AlertingInput) => (await saveAlerting(db, document, ANN)).warnings;
const ofRule = async (rule: Omit<AlertingInput['rules'][number], 'name'>) =>
  await warnings({ rules: [{ name: 'one', ...rule }] });

test('what is in force where nobody has saved anything has none', async () => {
  expect(await warnings(DEFAULT_ALERTING)).toEqual([]);
});

test.each<Omit<AlertingInput['rules'][number], 'name'>>([
  { when: failed, on: { task: 'billing/nightly' } },
  { when: failed, on: { labels: { team: 'shop' } } },
  { when: failed, on: { pool: 'batch' } },
  { when: { kind: 'no-worker' }, on: { pool: 'batch' } },
  { when: missed, on: { monitor: 'backup' } },
  { when: missed, on: { labels: { team: 'db' } } },
  { when: missed },
])('a rule that can fire has none: %j', async (rule) => {
  expect(await ofRule(rule)).toEqual([]);
});

test.each<[Omit<AlertingInput['rules'][number], 'name'>, string]>([
  [{ when: failed, on: { task: 'billing/nightl' } }, 'there is no task billing/nightl; did you mean billing/nightly?'],
  [{ when: failed, on: { labels: { team: 'db' } } }, 'no task has these labels'],
  [{ when: failed, on: { pool: 'nobody' } }, 'no task is of the pool nobody'],
  [{ when: missed, on: { monitor: 'backups' } }, 'there is no monitor backups; did you mean backup?'],
  [{ when: missed, on: { labels: { team: 'shop' } } }, 'no monitor has these labels'],
  [{ when: { kind: 'no-worker' }, on: { pool: 'bath' } }, 'there is no pool bath; did you mean batch?'],
  [
    { when: { kind: 'drift', kinds: ['lost_run', 'lost_runs'] } },
    'there is no kind of drift lost_runs; did you mean lost_run?',
  ],
  [
    { when: { kind: 'token-expires', withinMs: 31 * 24 * 60 * MINUTE } },
    'tokens are looked at 30 days ahead, and no further',
  ],
  [
    { when: { kind: 'redis-away' }, on: { pool: 'batch' } },
    'redis-away is about the fleet, so that the pool is not looked at',
  ],
])('a rule that cannot: %j', async (rule, words) => {
  expect(await ofRule(rule)).toEqual([`rules.0 (one): ${words}`]);
});

test('a path that names a variable is refused: nothing gives it a value', async () => {
  const rule = (output: string) => ofRule({ when: { kind: 'suspicious', output } });
  await expect(rule('$rows > 0')).rejects.toThrow(
    'rules.0.when.output: "$rows > 0" cannot be read: there is no variable $rows; a field of the output is $.rows',
  );
  expect(await rule('$.name like_regex "^a$" && $."b c" == "$d"')).toEqual([]);
});

test.each([
  [failed, { task: 'billing/nightly' }, 'tasks'],
  [missed, { monitor: 'backup' }, 'monitors'],
])('a rule that narrower ones leave nothing to: %j', async (when, on, what) => {
  const rules = [
    { name: 'wide', when },
    { name: 'narrow', when, on },
  ];
  expect(await warnings({ rules })).toEqual([
    `rules.0 (wide): it can never fire: narrower rules of its kind count for all its ${what}`,
  ]);
});

test.each<[string, string[]]>([
  ['task=billing/nightly,severity=warning|info,pool=batch,rule=one,kind=failed,team=db', []],
  ['monitor=backup', []],
  ['tasc=billing/nightly', ['no alert has the label tasc; did you mean task?']],
  ['severity=high', ['no alert has severity=high']],
  ['rule=ones', ['no alert has rule=ones; did you mean one?']],
  ['severity=info', ['no alert has severity=info']],
  ['kind=late', ['no alert has kind=late']],
  ['rule=switched-off', ['no alert has rule=switched-off']],
  ['kind=failed,severity=critical', ['no rule has kind=failed and severity=critical at once']],
  ['team=shops|nobody', ['no alert has team=shops|nobody; did you mean shop?']],
])('a route on %s', async (match, words) => {
  const document: AlertingInput = {
    rules: [
      { name: 'one', when: failed },
      { name: 'switched-off', when: { kind: 'slow', afterMs: 1000 }, enabled: false },
      { name: 'redis', when: { kind: 'redis-away' }, severity: 'critical' },
    ],
    receivers: { ops: { type: 'inbox' } },
    routes: [{ match, receivers: ['ops'] }],
  };
  expect(await warnings(document)).toEqual(words.map((each) => `routes.0.match: ${each}`));
});

test('a template with a value that there is not', async () => {
  const template = { title: '{{sumary}} {{text}}', more: ['{{elsewhere}}', '{{elsewhere}}'] };
  expect(
    await warnings({
      rules: [],
      receivers: { hook: { type: 'webhook', url: 'https://example.com', template } },
      routes: [{ receivers: ['hook'] }],
    }),
  ).toEqual([
    'receivers.hook.template: {{sumary}} stands for nothing; did you mean {{summary}}?',
    'receivers.hook.template: {{elsewhere}} stands for nothing',
  ]);
});

test('a topic of ntfy that is missing is refused', async () => {
  const receivers = { phone: { type: 'ntfy' as const, url: 'https://ntfy.sh/' } };
  await expect(warnings({ rules: [], receivers })).rejects.toThrow(
    'receivers.phone.url: it has no topic; give it as https://ntfy.sh/our-alerts',
  );
});

test('a receiver that stays as it is, though the last message has not reached it', async () => {
  const document = (to: string): AlertingInput => ({
    rules: [],
    receivers: { ops: { type: 'email', to: [to] } },
    routes: [{ receivers: ['ops'] }],
  });
  await warnings(document('a@example.com'));
  await db.pool.query(`INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, tries, try_at, state, error)
    VALUES ('default', 'ops', 'test', '{}', false, 1, now(), 'dropped', 'no such user')`);
  expect(await warnings(document('a@example.com'))).toEqual([
    'receivers.ops: the last message to it has not arrived: no such user; correct it, and try it: `escapement alerts test ops`',
  ]);
  expect(await warnings(document('b@example.com'))).toEqual([]);
});

test('routes and receivers that come to nothing', async () => {
  expect(
    await warnings({
      rules: [],
      receivers: { spare: { type: 'inbox' }, gone: { type: 'task', task: 'gone' } },
      routes: [{ receivers: ['gone'] }, { receivers: [] }, { match: 'severity=info', receivers: [] }],
    }),
  ).toEqual([
    'receivers.spare: no route leads to it',
    'receivers.gone: there is no task gone',
    'routes.1: routes.0 takes all alerts, so that none comes here',
    'routes.2: routes.0 takes all alerts, so that none comes here',
  ]);
});

test('of whom nobody is told: where no rule counts, or nothing but the inbox is behind it', async () => {
  const receivers = { ops: { type: 'webhook', url: 'https://ops.example.com' } } as const;
  const told = async (document: AlertingInput) => {
    await saveAlerting(db, { receivers, ...document }, ANN);
    return await withoutReceiver(db, await knownToAlerts(db), {
      defaults: { email: [], webhook: [] },
      now: new Date('2027-01-04T12:00:00Z'),
    });
  };
  const rules = [
    { name: 'failed', when: failed },
    { name: 'missed', when: missed },
  ];
  const of = (...unreceived: string[]) => ({ count: 1, unreceived });
  expect(await told({ rules, routes: [{ receivers: ['ops'] }] })).toEqual({ tasks: of(), monitors: of() });
  expect(await told({ rules: rules.slice(0, 1), routes: [{ receivers: ['ops'] }] })).toEqual({
    tasks: of(),
    monitors: of('backup'),
  });
  expect(await told({ rules, routes: [{ match: 'monitor=backup', receivers: ['ops'] }] })).toEqual({
    tasks: of('billing/nightly'),
    monitors: of(),
  });
});
