import { type HandlerOutcome, type Json, systemClock } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { pauseTask, rerunRun, resumeTask } from '@escapement/store';
import { by, eventually } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const outcomes = new Map<string, HandlerOutcome[]>();
const payloads: { task: string; payload: Json | undefined }[] = [];
await fleet.startWorker(async ({ run, payload }) => {
  payloads.push({ task: run.taskName, payload });
  return outcomes.get(run.taskName)?.shift() ?? { status: 'succeeded' };
});

/** So near that the run is made at once. */
const soon = () => new Date(systemClock.now().getTime() + 55_000);

const FAILED: HandlerOutcome = { status: 'failed', error: { name: 'E', message: 'no' } };

async function run(name: string, ...given: HandlerOutcome[]) {
  outcomes.set(name, given);
  const ended = fleet.event('run_finished', ({ task, state }) => task === name && state !== 'retrying');
  const id = await triggerTask(fleet.db, name, { by: by('test') });
  await fleet.dispatcher.runOnce();
  return { id, ...(await ended) };
}

/** What a task was run with, once it was run so often. */
const runsOf = (name: string, times: number) =>
  eventually(() => {
    const found = payloads.filter(({ task }) => task === name).map(({ payload }) => payload);
    expect(found).toHaveLength(times);
    return found;
  }, 10_000);

const follow = async (name: string) => await fleet.save({ name, overlap: { policy: 'skip' } });

async function notes() {
  const { rows } = await fleet.db.pool.query(
    `SELECT t.name, f.event, f.error, f.tries, f.given_up_at IS NOT NULL AS given_up FROM followers_outbox f
     JOIN task t ON t.id = f.task_id ORDER BY f.id`,
  );
  return rows;
}

it('then: by success and failure, the output is the payload, or what a template makes of it', async () => {
  for (const name of ['then-plain', 'then-made', 'then-failed', 'then-always']) await follow(name);
  await fleet.save({
    name: 'then',
    payload: { day: 'monday' },
    then: [
      { task: 'then-plain' },
      { task: 'then-made', payload: { of: '{{payload.day}}', rows: '{{output.rows}}', text: 'rows: {{output.rows}}' } },
      { task: 'then-failed', when: 'failure', payload: { run: '{{run.id}}', why: '{{run.error.message}}' } },
      { task: 'then-always', when: 'always', payload: '{{run.state}}' },
    ],
  });
  const good = await run('then', { status: 'succeeded', output: { rows: 3 } });
  expect(await runsOf('then-plain', 1)).toEqual([{ rows: 3 }]);
  expect(await runsOf('then-made', 1)).toEqual([{ of: 'monday', rows: 3, text: 'rows: 3' }]);
  expect(await runsOf('then-always', 1)).toEqual(['succeeded']);
  const bad = await run('then', FAILED);
  expect(await runsOf('then-failed', 1)).toEqual([{ run: bad.id, why: 'no' }]);
  expect(await runsOf('then-always', 2)).toEqual(['succeeded', 'failed']);
  const { rows } = await fleet.db.pool.query(`SELECT origin, depth FROM run WHERE cause_run_id = $1 ORDER BY ordinal`, [
    good.id,
  ]);
  expect(rows).toEqual(Array(3).fill({ origin: 'chain', depth: 1 }));
  expect(await notes()).toEqual([]);
});

it('the lifecycle: each event is a run with the record of the run it is about', async () => {
  for (const event of ['start', 'success', 'failure', 'finish', 'skip']) await follow(`hears-${event}`);
  await fleet.save({
    name: 'lived',
    onStart: 'hears-start',
    onSuccess: 'hears-success',
    onFailure: 'hears-failure',
    onFinish: 'hears-finish',
    onSkip: 'hears-skip',
    retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 0 } },
  });
  const good = await run('lived', { status: 'succeeded', output: 7 });
  const [started] = await runsOf('hears-start', 1);
  expect(started).toMatchObject({ event: 'onStart', id: good.id, state: 'running', attempt: 1, finishedAt: null });
  const [succeeded] = await runsOf('hears-success', 1);
  expect(succeeded).toEqual({
    event: 'onSuccess',
    id: good.id,
    task: 'lived',
    state: 'succeeded',
    reason: null,
    attempt: 1,
    origin: 'trigger',
    key: 'lived',
    scheduledFor: expect.stringMatching(/Z$/),
    startedAt: expect.stringMatching(/Z$/),
    finishedAt: expect.stringMatching(/Z$/),
    latenessMs: expect.any(Number),
    exitCode: null,
    occurrences: 1,
    output: 7,
    error: null,
  });
  outcomes.set('lived', [FAILED, FAILED]);
  await triggerTask(fleet.db, 'lived', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await eventually(async () => {
    await fleet.dispatcher.runOnce();
    expect(payloads.some(({ task }) => task === 'hears-failure')).toBe(true);
  }, 10_000);
  expect(await runsOf('hears-failure', 1)).toMatchObject([{ attempt: 2, error: { message: 'no' } }]);
  // Once a run, not once an attempt.
  expect(await runsOf('hears-start', 2)).toHaveLength(2);
  await run('lived', { status: 'skipped', reason: 'nothing to do' });
  expect(await runsOf('hears-skip', 1)).toMatchObject([{ state: 'skipped', reason: 'nothing to do' }]);
  expect(await runsOf('hears-finish', 3)).toMatchObject([
    { state: 'succeeded' },
    { state: 'failed' },
    { state: 'skipped' },
  ]);
  await eventually(async () => expect(await notes()).toEqual([]));
});

it('what a handler chains follows its success only, and where its names are known', async () => {
  await follow('chained');
  await fleet.save({ name: 'chains', retry: { maxAttempts: 3 } });
  const chain = [{ task: 'chained', payload: 1 }, { task: 'chained' }, { task: 'chained', payload: 3 }];
  await run('chains', { status: 'succeeded', effects: { chain } });
  expect((await runsOf('chained', 3)).toSorted()).toEqual([1, 3, undefined]);
  const unknown = await run('chains', { status: 'succeeded', effects: { chain: [{ task: 'chaind' }] } });
  expect(unknown).toMatchObject({ state: 'failed', attempt: 1 });
  expect(unknown.reason).toContain('it chains "chaind", and there is no such task');
  const { rows } = await fleet.db.pool.query(`SELECT error FROM run WHERE id = $1`, [unknown.id]);
  expect(rows[0].error.fields).toMatchObject({ code: 'unknown_task', fix: 'did you mean chained?' });
});

it('a chain has an end: the run that would make it too long fails', async () => {
  await fleet.save({ name: 'endless' });
  const chain = [{ task: 'endless' }];
  const first = fleet.event('run_finished', ({ task }) => task === 'endless');
  const id = await triggerTask(fleet.db, 'endless', { by: by('test') });
  await fleet.db.pool.query(`UPDATE run SET depth = 99 WHERE id = $1`, [id]);
  outcomes.set('endless', [
    { status: 'succeeded', effects: { chain } },
    { status: 'succeeded', effects: { chain } },
  ]);
  const last = fleet.event('run_finished', ({ task, state }) => task === 'endless' && state === 'failed');
  await fleet.dispatcher.runOnce();
  expect(await first).toMatchObject({ state: 'succeeded' });
  expect((await last).reason).toContain('number 101 of a chain, which may have 100');
});

it('what cannot be made is tried again and does not hold others up, nor its neighbours of the same run', async () => {
  await follow('made');
  await fleet.save({ name: 'gone' });
  await fleet.save({
    name: 'half',
    then: [{ task: 'gone' }, { task: 'made' }, { task: 'made', payload: '{{output.x}}' }],
  });
  await fleet.db.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'gone'`);
  const failed = fleet.event('followers_failed');
  await run('half', { status: 'succeeded', output: { y: 1 } });
  expect(await failed).toMatchObject({ task: 'half', what: 'finished', givenUp: false });
  expect(await runsOf('made', 1)).toEqual([{ y: 1 }]);
  const [note] = await notes();
  expect(note).toMatchObject({ name: 'half', event: 'finished', tries: 1, given_up: false });
  expect(note.error).toContain('there is no task "gone"');
  expect(note.error).toContain('there is no output.x');
  await saveTask(
    fleet.db,
    { name: 'gone', handler: { type: 'shell', command: 'true' } },
    { source: 'test', by: by('me') },
  );
  await fleet.db.pool.query(`UPDATE followers_outbox SET not_before = now() - interval '1 minute'`);
  const given = fleet.event('followers_failed');
  await fleet.followersOutbox.runOnce();
  // What lies in the run will not change.
  expect(await given).toMatchObject({ givenUp: true });
  expect(await runsOf('gone', 1)).toEqual([{ y: 1 }]);
  expect(await runsOf('made', 1)).toHaveLength(1);
  expect(await notes()).toMatchObject([{ tries: 2, given_up: true }]);
  await fleet.db.pool.query(`DELETE FROM followers_outbox`);
});

it('two that follow at once the same task, whose runs must not overlap, wait for each other', async () => {
  await follow('patient');
  await fleet.save({ name: 'both', then: [{ task: 'patient' }, { task: 'patient', payload: 2 }] });
  await run('both', { status: 'succeeded', output: 1 });
  expect(await runsOf('patient', 2)).toEqual([1, 2]);
  expect((await fleet.runs('patient')).map(({ state }) => state)).not.toContain('skipped');
});

it('the next run at the date that a run has decided; forgotten once somebody resumes the task', async () => {
  await fleet.save({ name: 'decides', schedule: { kind: 'every', everyMs: 3_600_000 }, payload: 'its own' });
  const decided = () => run('decides', { status: 'succeeded', effects: { next: soon() } });
  const first = await decided();
  const next = await eventually(async () => {
    const found = (await fleet.runs('decides')).find(({ origin }) => origin === 'chain');
    expect(found).toMatchObject({ state: 'planned' });
    return found;
  });
  const { rows } = await fleet.db.pool.query(`SELECT cause_run_id, ordinal, depth FROM run WHERE id = $1`, [next?.id]);
  expect(rows).toEqual([{ cause_run_id: first.id, ordinal: -1, depth: 0 }]);
  expect(await resumeTask(fleet.db, 'decides', by('me'))).toBe(1);
  expect((await fleet.runs('decides')).find(({ id }) => id === next?.id)).toMatchObject({ state: 'superseded' });
  expect(await notes()).toEqual([]);
});

it('a next run is skipped where a person has paused the task for that time', async () => {
  await fleet.save({ name: 'rests' });
  const at = new Date(systemClock.now().getTime() + 600_000);
  await run('rests', { status: 'succeeded', effects: { next: at } });
  await pauseTask(fleet.db, { name: 'rests', untilAt: null, by: by('me', 'stocktaking') });
  await fleet.db.pool.query(`UPDATE followers_outbox SET not_before = now() - interval '1 minute'`);
  await fleet.followersOutbox.runOnce();
  const made = (await fleet.runs('rests')).find(({ origin }) => origin === 'chain');
  expect(made).toMatchObject({ state: 'skipped', reason: 'paused: stocktaking', scheduled_for: at });
  expect(await notes()).toEqual([]);
});

it('what was made a minute ahead is skipped too, where the task is paused after that', async () => {
  await fleet.save({ name: 'stopped' });
  await run('stopped', { status: 'succeeded', effects: { next: soon() } });
  const next = async () => (await fleet.runs('stopped')).find(({ origin }) => origin === 'chain');
  await eventually(async () => expect(await next()).toMatchObject({ state: 'planned' }));
  await pauseTask(fleet.db, { name: 'stopped', untilAt: null, by: by('me', 'stocktaking') });
  expect(await next()).toMatchObject({ state: 'skipped', reason: 'paused: stocktaking' });
});

it('a run that is rerun has followers of its own', async () => {
  await follow('after');
  await fleet.save({ name: 'again', then: [{ task: 'after' }] });
  const failed = await run('again', FAILED);
  outcomes.set('again', [{ status: 'succeeded', output: 'now' }]);
  expect(await rerunRun(fleet.db, failed.id, by('me'))).toMatchObject({ kind: 'made' });
  await fleet.dispatcher.runOnce();
  expect(await runsOf('after', 1)).toEqual(['now']);
});
