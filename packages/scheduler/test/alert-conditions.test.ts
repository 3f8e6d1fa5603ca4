import { type AlertingInput, DAY, MINUTE, systemClock, type TaskInput } from '@escapement/core';
import { cancelRun, deleteTask, pauseTask, resolveRun, triggerTask } from '@escapement/operations';
import { ensurePartitions, listAlerts, marksOf, noteLedgerVerified, recordDrift } from '@escapement/store';
import { by } from '@escapement/testkit';
import { wasDue } from '@escapement/testkit/fleet';
import { Queue } from 'bullmq';
import { describe, expect, it, test } from 'vitest';
import { alertedFleet } from './alerted-fleet.ts';

const { fleet, db, ends, run, rules, watchers } = await alertedFleet();

/** What another program does to the queue of shell tasks. */
async function asAnother(act: (queue: Queue) => Promise<unknown>): Promise<void> {
  const { hostname, port, pathname } = new URL(fleet.redis.url);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || '0') };
  const queue = new Queue('default+shell', { prefix: 'esc:{default:default+shell}', connection });
  await act(queue);
  await queue.close();
}

/** A run that nothing starts. */
async function openRun(task: string): Promise<string> {
  await fleet.save({ name: task, pool: 'nobody' });
  return await triggerTask(db, task, { by: by('test') });
}

/** A run that does not end before the test says so. */
async function running(task: string, given: Partial<TaskInput> = {}): Promise<{ id: string; end: () => void }> {
  await fleet.save({ name: task, ...given });
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  ends.set(task, async () => {
    await until;
    return { status: 'succeeded' };
  });
  const id = await triggerTask(db, task, { by: by('test') });
  const started = fleet.event('run_started', (event) => event.run === id);
  await fleet.dispatcher.runOnce();
  await started;
  return { id, end: () => end() };
}

/** Skips 120 runs that are due after a run, as a long one has it. */
async function crowd(id: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at, finished_at)
     SELECT gen_random_uuid(), r.scheduled_for + n * interval '1 s', r.namespace, r.task_id, r.task_version, r.plan_epoch, 'schedule', 'skipped', 'the one before runs',
       r.key, r.key_limit, r.overlap, r.pool, r.due_at + n * interval '1 s', r.finished_at
     FROM run r, generate_series(1, 120) n WHERE r.id = $1`,
    [id],
  );
}

const ended = (id: string) => fleet.event('run_finished', (event) => event.run === id);
const set = (id: string, what: string) => db.pool.query(`UPDATE run SET ${what} WHERE id = $1`, [id]);

describe('open runs and tasks', () => {
  it.each<[AlertingInput['rules'][number]['when'], string, string]>([
    [{ kind: 'held' }, `state = 'held'`, 'was due while nothing ran, and waits for a person to let it go'],
    [
      { kind: 'unknown' },
      `state = 'unknown', reason = 'its worker was lost'`,
      'was cut off, and a person must say what became of it',
    ],
  ])('a run of which a person decides: %j', async (when, what, words) => {
    await rules({ rules: [{ name: 'person', when }] });
    const task = `of-a-person-${when.kind}`;
    const id = await openRun(task);
    await set(id, what);
    expect(await watchers().look()).toEqual([`firing: ${task} ${words}`]);
    if (when.kind === 'held') await cancelRun(db, id, by('ann'));
    else await resolveRun(db, id, 'succeeded', by('ann', 'seen in the log of the bank'));
    expect(await watchers().look()).toEqual([`resolved: ${task} ${words}`]);
  });

  it.each<[AlertingInput['rules'][number]['when'], string]>([
    [{ kind: 'slow', afterMs: 5000 }, 'runs for more than 5 s'],
    [{ kind: 'silent', afterMs: 5000 }, 'has not given a sign of life for more than 5 s'],
  ])('a run at work: %j', async (when, words) => {
    await rules({ rules: [{ name: 'at-work', when }] });
    const task = `at-work-${when.kind}`;
    const { id, end } = await running(task);
    expect(await watchers().look()).toEqual([]);
    // Its first lines are a sign of life too.
    const lines = async () => (await db.pool.query('SELECT FROM run_log_chunk WHERE run_id = $1', [id])).rowCount ?? 0;
    await expect.poll(lines).toBeGreaterThan(0);
    await set(id, `started_at = now() - interval '1 min'`);
    await db.pool.query(`UPDATE run_log_chunk SET written_at = now() - interval '1 min' WHERE run_id = $1`, [id]);
    expect(await watchers().look()).toEqual([`firing: ${task} ${words}`]);
    const over = ended(id);
    end();
    await over;
    expect(await watchers().look()).toEqual([`resolved: ${task} ${words}`]);
  });

  it('a run that is slow for its task: by what is usual, from 20 runs on', async () => {
    await rules({ rules: [{ name: 'slow', when: { kind: 'slow', timesP95: 3 } }] });
    const { id, end } = await running('usually-fast');
    await set(id, `started_at = now() - interval '1 min'`);
    const usual = async (runs: number) =>
      await db.pool.query(
        `INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, $1, 1, 2 FROM task WHERE name = 'usually-fast'
         ON CONFLICT (task_id) DO UPDATE SET runs = excluded.runs`,
        [runs],
      );
    await usual(19);
    expect(await watchers().look()).toEqual([]);
    await usual(20);
    expect(await watchers().look()).toEqual([expect.stringMatching(/^firing: usually-fast runs for more than /)]);
    end();
  });

  it('a run that waits for its key, and who has it', async () => {
    await rules({ rules: [{ name: 'waits', when: { kind: 'waiting', afterMs: 5000 } }] });
    const { id: first, end } = await running('in-line', { overlap: 'wait-all' });
    const second = await triggerTask(db, 'in-line', { by: by('test') });
    await fleet.dispatcher.runOnce();
    await expect
      .poll(async () => (await db.pool.query('SELECT state FROM run WHERE id = $1', [second])).rows)
      .toEqual([{ state: 'waiting' }]);
    await set(second, `waiting_since = now() - interval '1 min'`);
    const words = 'in-line has waited for its key in-line for more than 5 s';
    const { look, sent } = watchers();
    expect(await look()).toEqual([`firing: ${words}`]);
    expect(sent[0]?.message.notes[0]?.why).toContain(`run ${first} has its key`);
    const over = ended(second);
    end();
    await fleet.reconcile();
    await fleet.dispatcher.runOnce();
    await over;
    expect(await watchers().look()).toEqual([`resolved: ${words}`]);
  });

  it('a task that cannot be planned', async () => {
    await rules({ rules: [{ name: 'plans', when: { kind: 'unplannable' } }] });
    await fleet.save({ name: 'without-plan' });
    const because = (why: string | null) =>
      db.pool.query(`UPDATE task SET plan_error = $1 WHERE name = 'without-plan'`, [why]);
    await because('the time zone Mars/Olympus is not known');
    const { look, sent } = watchers();
    expect(await look()).toEqual(['firing: without-plan cannot be planned']);
    expect(sent[0]?.message.notes[0]?.why).toEqual(['the time zone Mars/Olympus is not known']);
    await because(null);
    expect(await watchers().look()).toEqual(['resolved: without-plan cannot be planned']);
  });

  it('an occurrence that was missed, and a run that lost its worker too often', async () => {
    await rules({
      rules: [
        { name: 'missed', when: { kind: 'missed' } },
        { name: 'poison', when: { kind: 'quarantined' } },
      ],
    });
    const missed = await openRun('too-late');
    await set(missed, `state = 'missed', finished_at = now(), reason = 'no worker in time'`);
    const poison = await openRun('poison');
    await set(poison, `state = 'quarantined', finished_at = now(), reason = 'it lost its worker 3 times'`);
    expect((await watchers().look()).toSorted()).toEqual([
      'firing: poison was quarantined: it lost its worker too often',
      'firing: too-late was missed',
    ]);
    await deleteTask(db, 'too-late', by('ann'));
    await fleet.save({ name: 'poison', pool: 'default' });
    await run('poison');
    expect((await watchers().look()).toSorted()).toEqual([
      'resolved: poison was quarantined: it lost its worker too often',
      'resolved: too-late was missed',
    ]);
    expect((await db.pool.query(`SELECT resolved_why FROM alert WHERE rule = 'missed'`)).rows).toEqual([
      { resolved_why: 'its task was deleted' },
    ]);
  });

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

  it('a task that had not started by a time of day, until it starts', async () => {
    // Where it is about noon.
    const ahead = 12 - systemClock.now().getUTCHours();
    const timeZone = `Etc/GMT${ahead >= 0 ? '-' : '+'}${Math.abs(ahead)}`;
    await rules({
      rules: [{ name: 'by-six', when: { kind: 'not-started-by', at: '06:00', timeZone }, on: { task: 'early' } }],
    });
    expect(await watchers().look()).toEqual(['firing: early cannot start: there is no such task']);
    await fleet.save({ name: 'early' });
    await db.pool.query(`UPDATE task SET created_at = now() - interval '2 days' WHERE name = 'early'`);
    const words = `early had not started by 06:00 (${timeZone})`;
    expect((await watchers().look()).toSorted()).toEqual([
      `firing: ${words}`,
      'resolved: early cannot start: there is no such task',
    ]);
    await run('early');
    expect(await watchers().look()).toEqual([`resolved: ${words}`]);
  });

  it('that a task is there which a rule names, or there no more, is seen at the next look', async () => {
    await rules({ rules: [{ name: 'comes', when: { kind: 'no-success', forMs: MINUTE }, on: { task: 'comes' } }] });
    const { look } = watchers();
    const words = 'comes cannot succeed: there is no such task';
    expect(await look()).toEqual([`firing: ${words}`]);
    await fleet.save({ name: 'comes' });
    await expect.poll(look).toEqual([`resolved: ${words}`]);
    await deleteTask(db, 'comes', by('ann'));
    await expect.poll(look).toEqual([`firing: ${words}`]);
  });

  it('a task whose last success and start are behind a crowd of runs that never began is not told of', async () => {
    const ahead = 12 - systemClock.now().getUTCHours();
    const timeZone = `Etc/GMT${ahead >= 0 ? '-' : '+'}${Math.abs(ahead)}`;
    const on = { task: 'crowded' };
    await fleet.save({ name: 'crowded' });
    await db.pool.query(`UPDATE task SET created_at = now() - interval '2 days' WHERE name = 'crowded'`);
    await crowd(await run('crowded'));
    await rules({
      rules: [
        { name: 'old', when: { kind: 'no-success', forMs: 30 * MINUTE }, on },
        { name: 'by-six', when: { kind: 'not-started-by', at: '06:00', timeZone }, on },
      ],
    });
    expect(await watchers().look()).toEqual([]);
  });

  it('a failure is over with the next success, though a crowd of runs that never began is due after it', async () => {
    await rules({ rules: [{ name: 'failed', when: { kind: 'failed' } }] });
    await fleet.save({ name: 'skipping' });
    ends.set('skipping', async () => {
      throw new Error('no disk left');
    });
    const id = await run('skipping');
    expect(await watchers().look()).toEqual(['firing: skipping failed']);
    await crowd(id);
    ends.delete('skipping');
    await run('skipping');
    expect(await watchers().look()).toEqual(['resolved: skipping failed']);
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
    // Whoever looks next sees its mark.
    expect(await watchers().look()).toEqual([]);
    expect(await listAlerts(db, { limit: 10 })).toMatchObject([{ rule: 'rows', seen: 1 }]);
    await rules({
      rules: [{ name: 'rows', when: { kind: 'suspicious', output: '$.rows > 0' }, on: { task: 'import' } }],
    });
    ends.set('import', async () => ({ status: 'succeeded', output: { rows: 7 } }));
    await run('import');
    expect(await watchers().look()).toEqual(['resolved: import succeeded, and yet something is wrong with it']);
  });
});

describe('a success that is judged by several rules', () => {
  const answers = async () => ({ status: 'succeeded' as const, output: { rows: 1 } });

  it('by one that compares times with and without a zone', async () => {
    const output = '"2021-01-01".datetime() > "2020-01-01T00:00:00+00:00".datetime()';
    await rules({ rules: [{ name: 'times', when: { kind: 'suspicious', output }, on: { task: 'zoned' } }] });
    await fleet.save({ name: 'zoned' });
    ends.set('zoned', answers);
    await watchers().look();
    await run('zoned');
    expect(await watchers().look()).toEqual([]);
  });

  it('by one that cannot be evaluated, which is said and keeps no other from it', async () => {
    const on = { task: 'judged' };
    await rules({
      rules: [
        { name: 'broken', when: { kind: 'suspicious', output: '$rows > 0' }, on },
        { name: 'sound', when: { kind: 'suspicious', logLacks: 'runs' }, on },
      ],
    });
    await fleet.save({ name: 'judged' });
    ends.set('judged', answers);
    await watchers().look();
    await run('judged');
    const errors: string[] = [];
    const { look } = watchers([], (error) => errors.push(String(error)));
    expect(await look()).toEqual(['firing: judged succeeded, and yet something is wrong with it']);
    expect(errors).toEqual([expect.stringContaining('could not find jsonpath variable')]);
  });
});

describe('the fleet', () => {
  const sql = (text: string) => () => db.pool.query(text);
  const process = (what: string) => `INSERT INTO process (id, namespace, role, host, pid, app_version, ${what}`;
  let ofNobody = '';
  async function dueWithoutWorker(): Promise<void> {
    ofNobody = await openRun('of-nobody');
    await set(ofNobody, `due_at = now() - interval '1 min'`);
  }
  const gone = sql(`DELETE FROM process WHERE id LIKE 'told-%'`);
  const watchedFor = (span: string) =>
    db.pool.query(`UPDATE alert_watch SET watched_since = now() - $1::interval`, [span]);
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
      'the token of access deploy ends soon',
      sql('DELETE FROM access_token'),
    ],
    [
      { kind: 'clock-off', overMs: 500 },
      sql(`${process(`clock_offset_ms) VALUES ('told-clock', 'default', 'worker', 'h', 1, '0', 900)`)}`),
      'the clock of the worker on h is more than 500 ms off',
      gone,
    ],
    [
      { kind: 'worker-lost' },
      sql(
        `${process(`heartbeat_at) VALUES ('told-lost', 'default', 'worker', 'h', 1, '0', now() - interval '1 min')`)}`,
      ),
      'the worker told-lost has vanished without a word',
      gone,
    ],
    [
      { kind: 'drift', kinds: ['stuck_job'] },
      () => recordDrift(db, { stuck_job: 2, lost_run: 1 }),
      'queue and ledger differed (stuck_job), and were made equal',
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
    [
      { kind: 'no-worker' },
      dueWithoutWorker,
      'the pool nobody has runs that are due, and no worker',
      async () => await cancelRun(db, ofNobody, by('ann')),
    ],
    [
      { kind: 'overdue', overMs: 5000 },
      dueWithoutWorker,
      'runs of the pool nobody have been due for more than 5 s, and have not started',
      async () => await cancelRun(db, ofNobody, by('ann')),
    ],
    [
      { kind: 'planner-silent', overMs: 60_000 },
      sql(
        `UPDATE process SET planned_at = now() - interval '5 min';
         INSERT INTO process (id, namespace, role, host, pid, app_version, planned_at) VALUES ('told-s', 'default', 'scheduler', 'h', 1, '0', now() - interval '5 min')`,
      ),
      'nobody plans: no scheduler has completed a pass of its planner of late',
      sql(`UPDATE process SET planned_at = now()`),
    ],
    [
      { kind: 'planner-lag', overMs: 60_000 },
      async () => {
        await fleet.save({ name: 'unplanned', pool: 'nobody', schedule: { kind: 'every', everyMs: DAY } });
        await wasDue(db, 'unplanned', 5 * MINUTE);
      },
      'the planner is more than 1 min behind',
      async () => await fleet.planner.runOnce(),
    ],
    [
      { kind: 'api-away', overMs: 60_000 },
      sql(
        `UPDATE alert_watch SET heard_at = now() - interval '5 min';
         INSERT INTO heartbeat (namespace, name, ping_hash, definition, trouble_at, created_by) VALUES ('default', 'backup', sha256('x'), '{}', now() + interval '1 day', 'ann')`,
      ),
      'no API takes pings: of jobs that run elsewhere nothing is known',
      sql(`UPDATE alert_watch SET heard_at = now(); DELETE FROM heartbeat`),
    ],
    [
      { kind: 'queue-blocked' },
      async () => {
        await fleet.save({ name: 'behind-a-pause' });
        await triggerTask(db, 'behind-a-pause', { by: by('test') });
        await asAnother((queue) => queue.pause());
        await fleet.reconcile();
        await fleet.reconcile();
      },
      'another program has changed the queue default+shell in Redis',
      async () => {
        await asAnother((queue) => queue.resume());
        await fleet.reconcile();
        await fleet.reconcile();
      },
    ],
    [
      { kind: 'partition-missing' },
      async () => {
        const { rows } = await db.pool.query(`SELECT name FROM partitions_of('run_log_chunk') WHERE to_at > now()`);
        for (const { name } of rows) await db.pool.query(`DROP TABLE ${name}`);
      },
      'the partition of the ledger for the next days is missing',
      async () => await ensurePartitions(db, systemClock.now(), 14),
    ],
  ])('%j', async (when, begin, summary, end) => {
    await rules({ rules: [{ name: 'told', when }] });
    const words = await watchers().look();
    await watchedFor('1 h');
    await begin();
    words.push(...(await watchers().look()));
    expect(words).toEqual([`firing: ${summary}`]);
    await end();
    expect(await watchers().look()).toEqual([`resolved: ${summary}`]);
  });

  it('what was silent in an outage is told of when it stays silent after it', async () => {
    await rules({
      rules: [
        { name: 'away', when: { kind: 'not-watched', overMs: 2 * MINUTE } },
        { name: 'silent', when: { kind: 'planner-silent', overMs: 30_000 } },
        { name: 'lag', when: { kind: 'planner-lag', overMs: 30_000 } },
        { name: 'api', when: { kind: 'api-away', overMs: 30_000 } },
      ],
    });
    await fleet.save({ name: 'in-an-outage', pool: 'nobody', schedule: { kind: 'every', everyMs: DAY } });
    await watchers().look();
    await wasDue(db, 'in-an-outage', 5 * MINUTE);
    await db.pool.query(`UPDATE process SET planned_at = now() - interval '5 min';
      INSERT INTO process (id, namespace, role, host, pid, app_version, planned_at) VALUES ('told-outage', 'default', 'scheduler', 'h', 1, '0', now() - interval '5 min');
      INSERT INTO heartbeat (namespace, name, ping_hash, definition, trouble_at, created_by) VALUES ('default', 'silent-job', sha256('y'), '{}', now() + interval '1 day', 'ann');
      UPDATE alert_watch SET looked_at = now() - interval '5 min', heard_at = now() - interval '5 min', watched_since = now() - interval '1 h'`);
    const away = 'nobody looked after the fleet for 5 min: Postgres or all schedulers were away';
    expect(await watchers().look()).toEqual([`firing: ${away}`]);
    await watchedFor('20 s');
    expect(await watchers().look()).toEqual([`resolved: ${away}`]);
    await watchedFor('40 s');
    expect((await watchers().look()).sort()).toEqual([
      'firing: no API takes pings: of jobs that run elsewhere nothing is known',
      'firing: nobody plans: no scheduler has completed a pass of its planner of late',
    ]);
    // Which is its wider cause.
    await db.pool.query(`UPDATE process SET planned_at = now() WHERE id = 'told-outage'; DELETE FROM heartbeat`);
    expect((await watchers().look()).sort()).toEqual([
      'firing: the planner is more than 30 s behind',
      'resolved: no API takes pings: of jobs that run elsewhere nothing is known',
      'resolved: nobody plans: no scheduler has completed a pass of its planner of late',
    ]);
    await db.pool.query(`DELETE FROM process WHERE id = 'told-outage'; UPDATE alert_watch SET heard_at = NULL`);
    await fleet.planner.runOnce();
  });

  it('a silence is told though that cannot be written at the first look', async () => {
    await rules({ rules: [{ name: 'away', when: { kind: 'not-watched', overMs: 60_000 } }] });
    const errors: unknown[] = [];
    const { look } = watchers([], (error) => errors.push(error));
    await db.pool.query(`INSERT INTO alert_watch (namespace, looked_at, ended_until) VALUES ('default', now() - interval '5 min', now())
      ON CONFLICT (namespace) DO UPDATE SET looked_at = excluded.looked_at`);
    await db.pool.query(`ALTER TABLE alert ADD CONSTRAINT refused CHECK (rule <> 'away')`);
    expect(await look()).toEqual([]);
    expect(errors).not.toEqual([]);
    await db.pool.query('ALTER TABLE alert DROP CONSTRAINT refused');
    expect(await look()).toEqual([
      'firing: nobody looked after the fleet for 5 min: Postgres or all schedulers were away',
    ]);
  });

  it('a second worker that is lost is told while the first is; clocks of one host are one alert', async () => {
    await rules({
      rules: [
        { name: 'lost', when: { kind: 'worker-lost' } },
        { name: 'clocks', when: { kind: 'clock-off', overMs: 500 } },
      ],
    });
    const lost = (id: string) =>
      db.pool.query(
        `${process(`heartbeat_at) VALUES ('${id}', 'default', 'worker', 'h', 1, '0', now() - interval '1 min')`)}`,
      );
    await lost('told-1');
    for (const id of ['told-3', 'told-4'])
      await db.pool.query(`${process(`clock_offset_ms) VALUES ('${id}', 'default', 'scheduler', 'h', 1, '0', 900)`)}`);
    expect((await watchers().look()).sort()).toEqual([
      'firing: the clock of the scheduler on h is more than 500 ms off',
      'firing: the worker told-1 has vanished without a word',
    ]);
    await lost('told-2');
    expect(await watchers().look()).toEqual(['firing: the worker told-2 has vanished without a word']);
    await gone();
    expect(await watchers().look()).toHaveLength(3);
  });

  it('gaps of the ledger that have gone since are no alert, and those that have come are', async () => {
    await rules({ rules: [{ name: 'gaps', when: { kind: 'ledger-gap' } }] });
    await noteLedgerVerified(db, { gaps: 1, named: [] });
    await noteLedgerVerified(db, null);
    expect(await watchers().look()).toEqual([]);
    await noteLedgerVerified(db, null);
    await noteLedgerVerified(db, { gaps: 1, named: [] });
    expect(await watchers().look()).toEqual(['firing: the ledger does not agree with the schedules in one occurrence']);
  });
});
