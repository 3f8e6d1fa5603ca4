import { DAY, MINUTE, systemClock, type TaskInput } from '@escapement/core';
import type { AlertingInput } from '@escapement/core/alerts';
import { cancelRun, deleteTask, pauseTask, resolveRun, triggerTask } from '@escapement/operations';
import { listAlerts, marksOf } from '@escapement/store';
import { by } from '@escapement/testkit';
import { describe, expect, it } from 'vitest';
import { alertedFleet } from './alerted-fleet.ts';

const { fleet, db, ends, run, openRun, set, crowd, rules, watchers } = await alertedFleet();

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

const ended = (id: string) => fleet.event('run_finished', (event) => event.run === id);

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
      db.pool.query(
        `UPDATE task_plan SET plan_error = $1 WHERE task_id IN (SELECT id FROM task WHERE name = 'without-plan')`,
        [why],
      );
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

  it('a task in the shadow of cron is told of by none of these, and after it counts from then on', async () => {
    const ahead = 12 - systemClock.now().getUTCHours();
    const timeZone = `Etc/GMT${ahead >= 0 ? '-' : '+'}${Math.abs(ahead)}`;
    const on = { task: 'with-cron' };
    await fleet.save({ name: 'with-cron', shadow: { line: '0123456789ab' } });
    await db.pool.query(`UPDATE task SET created_at = now() - interval '9 days' WHERE name = 'with-cron'`);
    await rules({
      rules: [
        { name: 'old', when: { kind: 'no-success', forMs: DAY }, on },
        { name: 'by-six', when: { kind: 'not-started-by', at: '06:00', timeZone }, on },
      ],
    });
    expect(await watchers().look()).toEqual([]);
    await fleet.save({ name: 'with-cron' });
    expect(await watchers().look()).toEqual([]);
    await db.pool.query(
      `UPDATE task_version v SET effective_at = v.effective_at - interval '2 days', ended_at = v.ended_at - interval '2 days'
       FROM task t WHERE t.id = v.task_id AND t.name = 'with-cron'`,
    );
    expect((await watchers().look()).toSorted()).toEqual([
      `firing: with-cron had not started by 06:00 (${timeZone})`,
      'firing: with-cron has not succeeded for 24 h',
    ]);
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
