import { systemClock } from '@escapement/core';
import { type AlertingInput, DEFAULT_ALERTING } from '@escapement/core/alerts';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { examineDatabase, examineRedisOfFleet, type Finding, saveAlerting } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const TERMS = { deadMs: 60_000, maxClockOffsetMs: 500, allowEviction: false };
const terms = { ...TERMS, clock: systemClock, defaults: { email: [], webhook: [] }, self: 'this server' };
const ANN = by('ann');
const of = (findings: readonly Finding[], subject: string) => findings.filter((each) => each.subject === subject);

test('a scheduler tells what each Redis is like', async () => {
  const found = examineRedisOfFleet(db, TERMS, ANN);
  fleet.requests.start();
  expect(await found).toEqual(
    expect.arrayContaining([
      { subject: 'Redis', level: 'ok', detail: expect.stringMatching(/^reachable, version \d/) },
      { subject: 'Redis', level: 'ok', detail: expect.stringMatching(/^clock .* a scheduler's$/) },
    ]),
  );
  await fleet.requests.stop();
});

test('that no scheduler is alive is a finding, and no wait', async () => {
  await db.pool.query(`UPDATE process SET heartbeat_at = heartbeat_at - interval '1 hour'`);
  expect(await examineRedisOfFleet(db, TERMS, ANN)).toEqual([
    {
      ...{ subject: 'Redis', level: 'problem', detail: 'it could not be looked at: no scheduler is alive' },
      fix: 'start one',
    },
  ]);
  const findings = await examineDatabase(db, terms);
  expect(of(findings, 'Schedulers')).toMatchObject([
    { level: 'problem', detail: expect.stringContaining('none is alive') },
  ]);
  expect(of(findings, 'Migrations')).toEqual([{ subject: 'Migrations', level: 'ok', detail: 'up to date' }]);
});

test('what a document leaves out of the defaults is named, but for what it switches off', async () => {
  const warned = async (rules: AlertingInput['rules']) => {
    await saveAlerting(db, { rules }, ANN);
    const found = of(await examineDatabase(db, terms), 'Alerts').map(({ detail }) => detail);
    return found.find((detail) => detail.startsWith('there is no rule'));
  };
  expect(await warned(DEFAULT_ALERTING.rules)).toBeUndefined();
  const [failed, ...others] = DEFAULT_ALERTING.rules;
  expect(await warned(others)).toMatch(/^there is no rule for failed, as the defaults/);
  expect(await warned([...others, { name: 'off', when: { kind: 'failed' }, enabled: false }])).toBeUndefined();
  expect(failed?.when.kind).toBe('failed');
});

test('a receiver that keeps what it is told is nobody, whatever it is called', async () => {
  await fleet.save({ name: 'kept' });
  const rules = [{ name: 'failed', when: { kind: 'failed' as const } }];
  const told = async (type: 'inbox' | 'email') => {
    const receivers = { later: type === 'inbox' ? { type } : { type, to: ['ops@example.com'] } };
    await saveAlerting(db, { rules, receivers, routes: [{ receivers: ['later'] }] }, ANN);
    return of(await examineDatabase(db, terms), 'Alerts')[0]?.level;
  };
  expect(await told('inbox')).toBe('warning');
  expect(await told('email')).toBe('ok');
});

test('rules that cannot fire, and receivers that the last message did not reach, are named', async () => {
  const receivers = { ops: { type: 'inbox' }, spare: { type: 'inbox' } } as const;
  const rules = [{ name: 'failed', when: { kind: 'failed' as const }, on: { task: 'gone' } }];
  await saveAlerting(db, { rules, receivers, routes: [{ receivers: ['ops', 'spare'] }] }, ANN);
  const delivery = `INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, tries, try_at, state, error) VALUES`;
  await db.pool.query(`${delivery} ('default', 'ops', 'test', '{}', false, 1, now(), 'sent', NULL),
    ('default', 'ops', 'g', '{}', false, 3, now(), 'pending', 'no answer from http://ops/***'),
    ('default', 'ops', 'next', '{}', false, 0, now(), 'pending', NULL),
    ('default', 'spare', 'g', '{}', false, 1, now(), 'dropped', 'gone'), ('default', 'spare', 'test', '{}', false, 1, now(), 'sent', NULL)`);
  const warnings = of(await examineDatabase(db, terms), 'Alerts').filter(({ level }) => level === 'warning');
  expect(warnings.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      'the last message to ops has not arrived: no answer from http://ops/***',
      'rules.0 (failed): there is no task gone',
    ]),
  );
  expect(JSON.stringify(warnings)).not.toContain('spare');
});
