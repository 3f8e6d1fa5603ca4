import {
  type AlertingInput,
  type AlertMessage,
  alertingSpec,
  DAY,
  MINUTE,
  type ReceiverSpec,
  SECOND,
  systemClock,
} from '@escapement/core';
import { cancelRun, pauseTask, triggerTask } from '@escapement/operations';
import type { SendResult } from '@escapement/service';
import {
  acknowledgeAlert,
  listAlerts,
  listDeliveries,
  listSilences,
  marksOf,
  noteLedgerVerified,
  recordDrift,
  saveAlertingVersion,
  silenceAlerts,
  unsilenceAlerts,
} from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { afterEach, describe, expect, it, test } from 'vitest';
import { createAlerts, createDeliverer } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;

/** What a task of this name does; success where nothing is said. */
const ends = new Map<string, () => Promise<{ status: 'succeeded'; output?: { rows: number } }>>();
await fleet.startWorker(async ({ run, log }) => {
  log.write(`${run.taskName} runs\n`);
  return (await ends.get(run.taskName)?.()) ?? { status: 'succeeded' };
});
const fails = (name: string) =>
  void ends.set(name, async () => {
    throw new Error('no disk left');
  });
const succeeds = (name: string) => void ends.delete(name);

async function run(name: string): Promise<string> {
  const id = await triggerTask(db, name, { by: by('test') });
  const finished = fleet.event('run_finished', (event) => event.run === id);
  await fleet.dispatcher.runOnce();
  await finished;
  return id;
}

let redisAwayMs: number | null = null;

/** A scheduler that looks, and one that sends; what it sends is kept. */
function watchers(results: SendResult[] = []) {
  const sent: { message: AlertMessage; receiver: ReceiverSpec }[] = [];
  const common = {
    db: fleet.as.scheduler,
    clock: systemClock,
    onError: (error: unknown) => expect.fail(String(error)),
  };
  const defaults = { email: ['fleet@example.com'], webhook: [] };
  const options = { ...common, defaults, deadMs: 10 * SECOND, redisAwayMs: () => redisAwayMs };
  const alerts = createAlerts({ ...options, holder: `holder-${Math.random()}` });
  const deliverer = createDeliverer({
    ...common,
    defaults,
    emit: () => undefined,
    render: ({ notes }) => notes.map(({ summary }) => summary).join('\n'),
    async send(message, receiver) {
      sent.push({ message, receiver });
      return results.shift() ?? { status: 'sent', detail: 'ok' };
    },
  });
  return {
    sent,
    /** What the messages of a look say. */
    async look(): Promise<string[]> {
      await db.pool.query(`DELETE FROM cluster_lock WHERE name = 'alerts'`);
      await alerts.runOnce();
      await db.pool.query(
        `UPDATE delivery SET try_at = now() - interval '1 s', created_at = created_at - interval '1 h' WHERE state = 'pending'`,
      );
      const before = sent.length;
      await deliverer.runOnce();
      return sent
        .slice(before)
        .flatMap(({ message }) => message.notes.map(({ state, summary }) => `${state}: ${summary}`));
    },
  };
}

async function rules(document: AlertingInput): Promise<void> {
  await db.pool.query('DELETE FROM alerting');
  await saveAlertingVersion(db, { definition: alertingSpec.parse(document), expectedVersion: null, by: by('test') });
}

afterEach(async () => {
  await db.pool.query(
    'DELETE FROM alerting; DELETE FROM alert; DELETE FROM delivery; DELETE FROM alert_fact; DELETE FROM alert_silence',
  );
  redisAwayMs = null;
});

const open = async () => (await listAlerts(db, { limit: 100 })).map(({ state, summary }) => `${state}: ${summary}`);

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

  it('fires from so many in a row on, or so many of the last ones', async () => {
    await rules({
      rules: [
        { name: 'three', when: { kind: 'failed', inARow: 3 }, on: { task: 'flaky' } },
        { name: 'often', when: { kind: 'failed', of: { failures: 2, runs: 3 } }, on: { task: 'now-and-then' } },
      ],
    });
    const { look } = watchers();
    for (const name of ['flaky', 'now-and-then']) await fleet.save({ name });
    fails('flaky');
    await run('flaky');
    await run('flaky');
    expect(await look()).toEqual([]);
    await run('flaky');
    expect(await look()).toEqual(['firing: flaky failed 3 times in a row']);
    fails('now-and-then');
    await run('now-and-then');
    succeeds('now-and-then');
    await run('now-and-then');
    expect(await look()).toEqual([]);
    fails('now-and-then');
    await run('now-and-then');
    expect(await look()).toEqual(['firing: now-and-then failed in 2 of its last 3 runs']);
    succeeds('now-and-then');
    await run('now-and-then');
    expect(await look()).toEqual(['resolved: now-and-then failed in 2 of its last 3 runs']);
  });

  it('is judged by the narrowest rule, and by none where that is switched off', async () => {
    await rules({
      rules: [
        { name: 'all', when: { kind: 'failed' } },
        { name: 'quiet', when: { kind: 'failed' }, on: { labels: { team: 'lab' } }, enabled: false },
      ],
    });
    await fleet.save({ name: 'of-the-lab', labels: { team: 'lab' } });
    await fleet.save({ name: 'of-the-shop', labels: { team: 'shop' } });
    for (const name of ['of-the-lab', 'of-the-shop']) {
      fails(name);
      await run(name);
    }
    expect(await watchers().look()).toEqual(['firing: of-the-shop failed']);
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
    redisAwayMs = 30_000;
    const { look } = watchers();
    expect(await look()).toContain('firing: Redis does not answer: no run starts');
    const [old] = (await listAlerts(db, { limit: 100, taskName: 'never-ran' })).map(({ muted }) => muted);
    expect(old).toMatch(/^alert \d+ \(redis\) is the wider cause$/);
    redisAwayMs = null;
    const { look: later } = watchers();
    expect(await later()).toEqual(
      expect.arrayContaining([
        'resolved: Redis does not answer: no run starts',
        'firing: never-ran has not succeeded for 1 min',
      ]),
    );
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

describe('open runs and tasks', () => {
  it('a run that is late, until it starts', async () => {
    await rules({ rules: [{ name: 'late', when: { kind: 'late', afterMs: 5000 } }] });
    await fleet.save({ name: 'behind', pool: 'nobody' });
    const id = await triggerTask(db, 'behind', { by: by('test') });
    await db.pool.query(`UPDATE run SET due_at = now() - interval '1 min' WHERE id = $1`, [id]);
    const { look } = watchers();
    expect(await look()).toEqual(['firing: behind is late: it was due more than 5 s ago, and has not started']);
    expect(await look()).toEqual([]);
    await cancelRun(db, id, by('ann'));
    expect(await look()).toEqual(['resolved: behind is late: it was due more than 5 s ago, and has not started']);
  });

  it('a task without success for too long, though it is paused, and one that is not there', async () => {
    await rules({
      rules: [
        { name: 'old', when: { kind: 'no-success', forMs: 26 * 60 * MINUTE }, on: { labels: { team: 'backup' } } },
        { name: 'gone', when: { kind: 'no-success', forMs: 1 * DAY }, on: { task: 'was-deleted' } },
      ],
    });
    await fleet.save({ name: 'backup', labels: { team: 'backup' } });
    await run('backup');
    const { look } = watchers();
    expect(await look()).toEqual(['firing: was-deleted cannot succeed: there is no such task']);
    await pauseTask(db, 'backup', null, by('ann', 'moving'));
    await db.pool.query(
      `ALTER TABLE run DISABLE TRIGGER run_terminal_is_final; UPDATE run r SET finished_at = now() - interval '27 h' FROM task t
       WHERE t.id = r.task_id AND t.name = 'backup'; ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`,
    );
    const { look: later } = watchers();
    expect(await later()).toEqual(['firing: backup has not succeeded for 26 h']);
  });

  it('a success that is none: the run stays succeeded, is marked, and the rule says why', async () => {
    await rules({
      rules: [
        { name: 'rows', when: { kind: 'suspicious', output: '$.rows > 0', logHas: 'loaded' }, on: { task: 'import' } },
      ],
    });
    await fleet.save({ name: 'import' });
    ends.set('import', async () => ({ status: 'succeeded', output: { rows: 0 } }));
    expect(await watchers().look()).toEqual([]);
    const id = await run('import');
    expect(await watchers().look()).toEqual(['firing: import succeeded, and yet something is wrong with it']);
    expect(await marksOf(db, [id])).toEqual([
      { runId: id, rule: 'rows', detail: 'its output does not meet $.rows > 0; its log does not match /loaded/' },
    ]);
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

describe('the fleet', () => {
  const sql = (text: string) => () => db.pool.query(text);
  const process = (what: string) => `INSERT INTO process (id, namespace, role, host, pid, app_version, ${what}`;
  const gone = sql(`DELETE FROM process WHERE id LIKE 'told-%'`);
  test.each<[AlertingInput['rules'][number]['when'], () => Promise<unknown>, string, () => Promise<unknown>]>([
    [
      { kind: 'not-watched', overMs: 60_000 },
      sql(`UPDATE alert_watch SET looked_at = now() - interval '5 min'`),
      'nobody looked after the fleet for 5 min: Postgres or all schedulers were away',
      async () => undefined,
    ],
    [
      { kind: 'ledger-gap' },
      () => noteLedgerVerified(db, { gaps: 2, named: ['a is missing'] }),
      'the ledger does not agree with the schedules in 2 occurrences',
      () => noteLedgerVerified(db, null),
    ],
    [
      { kind: 'token-expires', withinMs: 7 * DAY },
      sql(`INSERT INTO access_token (namespace, id, name, hash, role, created_by, expires_at)
        VALUES ('default', 't', 'deploy', sha256('t'), 'viewer', 'ann', now() + interval '1 day')`),
      'a token of access ends soon',
      sql('DELETE FROM access_token'),
    ],
    [
      { kind: 'clock-off', overMs: 500 },
      sql(`${process(`clock_offset_ms) VALUES ('told-clock', 'default', 'worker', 'h', 1, '0', 900)`)}`),
      'the clock of a process is more than 500 ms off',
      gone,
    ],
    [
      { kind: 'worker-lost' },
      sql(
        `${process(`heartbeat_at) VALUES ('told-lost', 'default', 'worker', 'h', 1, '0', now() - interval '1 min')`)}`,
      ),
      'a worker has vanished without a word',
      gone,
    ],
    [
      { kind: 'drift', kinds: ['stuck_job'] },
      () => recordDrift(db, { stuck_job: 2, lost_run: 1 }),
      'queue and ledger differed, and were made equal',
      sql(`UPDATE drift SET found_at = now() - interval '1 h'`),
    ],
    [
      { kind: 'workers-missing' },
      sql(`INSERT INTO pool (namespace, name, expected_workers) VALUES ('default', 'big', 3)`),
      'the pool big has 0 of 3 workers',
      sql(`DELETE FROM pool`),
    ],
    [
      { kind: 'database-size', overBytes: 1_000_000 },
      async () => undefined,
      'the database is larger than 1 MB',
      () => rules({ rules: [] }),
    ],
  ])('%j', async (when, begin, summary, end) => {
    await rules({ rules: [{ name: 'told', when }] });
    const words = await watchers().look();
    await begin();
    words.push(...(await watchers().look()));
    expect(words).toEqual([`firing: ${summary}`]);
    await end();
    expect(await watchers().look()).toEqual([`resolved: ${summary}`]);
  });
});

test('a run that is held, until a person has decided', async () => {
  const words = 'needs-a-person was due while nothing ran, and waits for a person to let it go';
  await rules({ rules: [{ name: 'person', when: { kind: 'held' } }] });
  await fleet.save({ name: 'needs-a-person', pool: 'nobody' });
  const id = await triggerTask(db, 'needs-a-person', { by: by('test') });
  await db.pool.query(`UPDATE run SET state = 'held' WHERE id = $1`, [id]);
  expect(await watchers().look()).toEqual([`firing: ${words}`]);
  await cancelRun(db, id, by('ann'));
  expect(await watchers().look()).toEqual([`resolved: ${words}`]);
});
