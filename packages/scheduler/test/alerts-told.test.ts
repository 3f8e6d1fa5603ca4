import { MINUTE } from '@escapement/core';
import { deleteCalendar, saveAlerting, saveCalendar } from '@escapement/operations';
import {
  acknowledgeAlert,
  listAlerts,
  listDeliveries,
  listSilences,
  queueTestDelivery,
  silenceAlerts,
  unsilenceAlerts,
} from '@escapement/store';
import { by } from '@escapement/testkit';
import { describe, expect, it, test } from 'vitest';
import { alertedFleet } from './alerted-fleet.ts';

const { fleet, db, redis, fails, succeeds, run, rules, open, watchers } = await alertedFleet();

/** As if a worker with that release had executed it; the ledger itself refuses to say so afterwards. */
async function executedBy(run: string, release: string): Promise<void> {
  await db.pool.query(
    `WITH d AS (INSERT INTO deployment (namespace, app, release, fingerprint, whole, tasks) VALUES ('default', 'a', $1, $1, true, '{}') RETURNING id)
     INSERT INTO process (id, namespace, role, host, pid, app_version, pools, deployment_id)
     SELECT 'worker-' || $1, 'default', 'worker', 'h', 1, '0', '{}', d.id FROM d`,
    [release],
  );
  await db.pool.query('ALTER TABLE run DISABLE TRIGGER USER');
  await db.pool.query(`UPDATE run SET worker = 'worker-' || $2 WHERE id = $1`, [run, release]);
  await db.pool.query('ALTER TABLE run ENABLE TRIGGER USER');
}

/** Alerts that fire, of which nobody was told. */
async function wave(count: number): Promise<void> {
  await db.pool.query(
    `INSERT INTO alert (namespace, rule, kind, severity, subject, labels, summary, why, runs, since, last_at, state, fire_at, fired_at, tell)
     SELECT 'default', 'failed', 'failed', 'critical', 'wave:' || n, '{"rule": "failed"}', 'wave ' || n, '[]', '[]', now(), now(), 'firing', now(), now(), 'firing'
     FROM generate_series(1, $1) n`,
    [count],
  );
}

describe('a wave of failures', () => {
  it('is one message with the first of them, and the number of the others', async () => {
    await rules({ rules: [{ name: 'failed', when: { kind: 'failed' } }] });
    await wave(400);
    const { look, sent } = watchers();
    await look();
    expect(sent.map(({ message }) => [message.notes.length, message.more])).toEqual([
      [250, { firing: 150, resolved: 0 }],
    ]);
  });

  it('is told alert by alert where a receiver takes each by itself: some at once, and each of them', async () => {
    await rules({
      rules: [{ name: 'failed', when: { kind: 'failed' } }],
      receivers: { duty: { type: 'pagerduty', routingKey: 'k' } },
      routes: [{ receivers: ['duty'] }],
    });
    await wave(45);
    const { look, sent } = watchers([
      { status: 'sent', detail: '' },
      { status: 'failed', permanent: false, error: '429' },
    ]);
    for (let times = 0; times < 4; times++) await look();
    expect(sent.map(({ message }) => message.notes.length).toSorted()).toEqual([20, 20, 20, 5]);
    const told = sent.flatMap(({ message }) => message.notes.map(({ summary }) => summary));
    expect(new Set(told).size).toBe(45);
    const log = await listDeliveries(db, { limit: 10 });
    expect(log.map(({ state, alerts }) => `${state} ${alerts.length}`).toSorted()).toEqual([
      'sent 20',
      'sent 20',
      'sent 5',
    ]);
  });
});

describe('a failure', () => {
  it('is told once with its reason and the end of its log, and so is its end', async () => {
    await fleet.save({ name: 'billing', notify: { email: ['ann@example.com'] } });
    fails('billing');
    const id = await run('billing');
    const { look, sent } = watchers();
    expect(await look()).toEqual(['firing: billing failed']);
    expect(sent[0]).toMatchObject({
      receiver: { type: 'email', to: ['ann@example.com'] },
      message: {
        notes: [
          {
            rule: 'failed',
            severity: 'critical',
            subject: { task: 'billing' },
            why: ['no disk left'],
            logTail: 'billing runs\n',
            runs: [{ id, state: 'failed' }],
          },
        ],
      },
    });
    await run('billing');
    expect(await look()).toEqual([]);
    expect(await open()).toEqual(['firing: billing failed 2 times in a row']);
    succeeds('billing');
    await run('billing');
    expect(await look()).toEqual(['resolved: billing failed 2 times in a row']);
    expect(await open()).toEqual([]);
    expect(await look()).toEqual([]);
  });

  it('names the version that was the first to fail, who saved it, and the trace of its last run', async () => {
    await fleet.save({ name: 'edited' });
    await run('edited');
    await fleet.save({ name: 'edited', description: 'another one' });
    fails('edited');
    await run('edited');
    const id = await run('edited');
    const { look, sent } = watchers();
    await look();
    const [note] = sent[0]?.message.notes ?? [];
    expect(note?.why).toEqual([
      'no disk left',
      expect.stringMatching(
        /^version 2, saved by test at \S+Z, was the first to fail; version 1 succeeded last, at \S+Z$/,
      ),
    ]);
    expect(note?.next).toContain(`see it: https://jobs.example.com/runs/${id}`);
    expect(note?.next).toContain(`its trace: https://traces.example.com/${id.replaceAll('-', '')}`);
  });

  it('names the release that was the first to fail', async () => {
    await fleet.save({ name: 'released' });
    const good = await run('released');
    fails('released');
    const bad = await run('released');
    await executedBy(good, 'r1');
    await executedBy(bad, 'r2');
    const { look, sent } = watchers();
    await look();
    expect(sent[0]?.message.notes[0]?.why).toEqual([
      'no disk left',
      expect.stringMatching(/^the release r2 was the first to fail; r1 succeeded last, at \S+Z$/),
    ]);
  });

  it('goes another way on a day that a calendar names', async () => {
    await saveCalendar(db, 'always', { timeZone: 'UTC', entries: [{ hours: ['0-24'] }] }, by('test'));
    await rules({
      rules: [{ name: 'failed', when: { kind: 'failed' } }],
      receivers: {
        office: { type: 'email', to: ['office@example.com'] },
        duty: { type: 'email', to: ['duty@example.com'] },
      },
      routes: [{ hours: { timeZone: 'UTC', exclude: ['always'] }, receivers: ['office'] }, { receivers: ['duty'] }],
    });
    await fleet.save({ name: 'holiday' });
    fails('holiday');
    await run('holiday');
    const { look, sent } = watchers();
    await look();
    expect(sent.map(({ receiver }) => receiver)).toEqual([{ type: 'email', to: ['duty@example.com'] }]);
    const deleted = deleteCalendar(db, 'always', by('test'));
    await expect(deleted).rejects.toMatchObject({
      code: 'calendar_in_use',
      message: 'calendar always closes a route of alerts',
    });
  });

  it('cannot be led by a calendar that is not there', async () => {
    const saved = saveAlerting(
      db,
      {
        rules: [],
        receivers: { office: { type: 'inbox' } },
        routes: [{ hours: { timeZone: 'UTC', exclude: ['alway'] }, receivers: ['office'] }],
      },
      by('test'),
    );
    await expect(saved).rejects.toMatchObject({
      code: 'bad_alerting',
      message: 'routes.0.hours.exclude.0: there is no calendar alway; did you mean always?',
    });
  });

  it('of many tasks at once is one message', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `crowd-${index}`);
    for (const name of names) {
      await fleet.save({ name });
      fails(name);
      await run(name);
    }
    const { look, sent } = watchers();
    expect((await look()).toSorted()).toEqual(names.map((name) => `firing: ${name} failed`).toSorted());
    expect(sent).toHaveLength(1);
    expect(sent[0]?.receiver).toEqual({ type: 'email', to: ['fleet@example.com'] });
  });
});

describe('what keeps an alert from being told', () => {
  it('a silence, until it ends', async () => {
    await fleet.save({ name: 'noisy' });
    fails('noisy');
    await silenceAlerts(db, { match: 'task=noisy', untilAt: new Date('2999-01-01T00:00:00Z'), by: by('ann', 'known') });
    await run('noisy');
    const { look } = watchers();
    expect(await look()).toEqual([]);
    expect(await listAlerts(db, { limit: 1 })).toMatchObject([
      { muted: expect.stringMatching(/^silenced by ann until .*: known$/) },
    ]);
    const [silence] = await listSilences(db);
    await unsilenceAlerts(db, { id: silence?.id ?? 0n, by: by('ann') });
    expect(await look()).toEqual(['firing: noisy failed']);
  });

  it('a wider cause', async () => {
    await rules({
      rules: [
        { name: 'redis', when: { kind: 'redis-away' } },
        { name: 'old', when: { kind: 'no-success', forMs: 1 * MINUTE } },
      ],
    });
    await fleet.save({ name: 'never-ran' });
    await db.pool.query(`UPDATE task SET created_at = now() - interval '1 h' WHERE name = 'never-ran'`);
    redis.awayMs = 30_000;
    const { look } = watchers();
    expect(await look()).toContain('firing: Redis does not answer: no run starts');
    const [old] = (await listAlerts(db, { limit: 100, taskName: 'never-ran' })).map(({ muted }) => muted);
    expect(old).toMatch(/^alert \d+ \(redis\) is the wider cause$/);
    redis.awayMs = null;
    const { look: later } = watchers();
    expect(await later()).toEqual(
      expect.arrayContaining([
        'resolved: Redis does not answer: no run starts',
        'firing: never-ran has not succeeded for 1 min',
      ]),
    );
  });

  it('a crowd that is silenced, without keeping others from being told', async () => {
    await db.pool.query(
      `INSERT INTO alert (namespace, rule, kind, severity, subject, labels, summary, why, runs, since, last_at, state, fire_at, fired_at, repeat_at)
       SELECT 'default', 'failed', 'failed', 'critical', 'crowd:' || n, '{"crowd": "yes"}', 'x', '[]', '[]', now(), now(), 'firing', now(), now(), now()
       FROM generate_series(1, 1100) n`,
    );
    await silenceAlerts(db, { match: 'crowd=yes', untilAt: new Date('2999-01-01T00:00:00Z'), by: by('ann', 'known') });
    await fleet.save({ name: 'alone' });
    fails('alone');
    const { look } = watchers();
    await look();
    await run('alone');
    expect(await look()).toEqual(['firing: alone failed']);
    expect((await listAlerts(db, { limit: 1 }))[0]).toMatchObject({ rule: 'failed', labels: { task: 'alone' } });
  });

  it('that nobody repeats what was acknowledged', async () => {
    await fleet.save({ name: 'repeated' });
    fails('repeated');
    await run('repeated');
    const { look, sent } = watchers();
    await look();
    const again = () =>
      db.pool.query(`UPDATE alert SET repeat_at = now() - interval '1 s' WHERE repeat_at IS NOT NULL`);
    await again();
    expect(await look()).toEqual(['firing: repeated failed']);
    expect(sent.at(-1)?.message.repeated).toBe(true);
    const [alert] = await listAlerts(db, { limit: 1 });
    expect(await acknowledgeAlert(db, { id: alert?.id ?? 0n, by: by('ann', 'on it') })).toBe(true);
    await again();
    expect(await look()).toEqual([]);
    succeeds('repeated');
    await run('repeated');
    expect(await look()).toEqual(['resolved: repeated failed']);
  });
});

describe('a message', () => {
  it('is tried again, given up for good, or kept for later, and the log of deliveries says so', async () => {
    await fleet.save({
      name: 'hard-to-tell',
      notify: { email: ['ann@example.com'], webhook: ['https://example.com/hook/secret'] },
    });
    fails('hard-to-tell');
    await run('hard-to-tell');
    const { look, sent } = watchers([
      { status: 'failed', permanent: false, error: 'refused' },
      { status: 'failed', permanent: true, error: 'gone' },
    ]);
    await look();
    expect(sent).toHaveLength(2);
    const log = await listDeliveries(db, { limit: 10 });
    expect(log.map(({ state, tries, error }) => [state, tries, error]).toSorted()).toEqual([
      ['dropped', 1, 'gone'],
      ['pending', 1, 'refused'],
    ]);
    expect(await look()).toEqual(['firing: hard-to-tell failed']);
    expect((await listDeliveries(db, { limit: 10 })).map(({ state }) => state).toSorted()).toEqual(['dropped', 'sent']);
  });

  it('goes nowhere where the task wants silence', async () => {
    await fleet.save({ name: 'silent', notify: { none: true } });
    fails('silent');
    await run('silent');
    expect(await watchers().look()).toEqual([]);
    expect(await open()).toEqual(['firing: silent failed']);
    expect(await listDeliveries(db, { limit: 10 })).toEqual([]);
  });

  it('goes where the routes say', async () => {
    await rules({
      rules: [{ name: 'failed', when: { kind: 'failed' }, severity: 'critical' }],
      receivers: { ops: { type: 'slack', url: { secret: 'OPS' } }, all: { type: 'inbox' } },
      routes: [{ match: 'severity=critical', receivers: ['ops'], continue: true }, { receivers: ['all'] }],
    });
    await fleet.save({ name: 'routed' });
    fails('routed');
    await run('routed');
    const { look, sent } = watchers();
    await look();
    expect(sent.map(({ receiver }) => receiver.type).toSorted()).toEqual(['inbox', 'slack']);
  });
});

test('a receiver that was saved a moment ago is there', async () => {
  await rules({ rules: [], receivers: { old: { type: 'inbox' } } });
  const { look, sent } = watchers();
  await queueTestDelivery(db, 'old');
  await look();
  await rules({ rules: [], receivers: { fresh: { type: 'inbox' } } });
  await queueTestDelivery(db, 'fresh');
  await look();
  expect(sent.map(({ message }) => message.receiver)).toEqual(['old', 'fresh']);
});

test('a test of a receiver opens an incident, and ends it', async () => {
  await rules({
    rules: [],
    receivers: {
      phone: { type: 'pagerduty', routingKey: { secret: 'PD' } },
      chat: { type: 'slack', url: { secret: 'S' } },
    },
  });
  await queueTestDelivery(db, 'phone');
  await queueTestDelivery(db, 'chat');
  const { look, sent } = watchers();
  await look();
  const told = sent.map(({ message: { id, notes }, receiver }) => [id, receiver.type, notes[0]?.state]);
  const [phone, chat] = ['pagerduty', 'slack'].map((type) => told.filter((each) => each[1] === type));
  expect(phone?.map(([, , state]) => state)).toEqual(['firing', 'resolved']);
  expect(new Set(phone?.map(([id]) => id)).size).toBe(1);
  expect(chat?.map(([, , state]) => state)).toEqual(['firing']);
});
