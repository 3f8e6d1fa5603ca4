import { DAY, type Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet, wasDue } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

/** Handlers by task name; each test brings its own. */
const handlers = new Map<string, Handler>();
await fleet.startWorker(async (context) => {
  const handler = handlers.get(context.run.taskName);
  return handler ? await handler(context) : { status: 'succeeded' };
});

it('takes a due task through plan, queue, begin, handler and finish', async () => {
  handlers.set('whole-way', async ({ run, payload, log }) => {
    log.write('hello\n');
    return {
      status: 'succeeded',
      output: { attempt: run.attempt, payload: payload ?? null },
    };
  });
  await fleet.save({ name: 'whole-way', payload: { a: 1 }, schedule: { kind: 'every', everyMs: DAY } });
  await wasDue(fleet.db, 'whole-way', 100);
  const finished = fleet.event('run_finished', (event) => event.task === 'whole-way');
  await fleet.planner.runOnce();
  expect(await finished).toMatchObject({ state: 'succeeded', attempt: 1 });
  const { rows } = await fleet.db.pool.query(
    `SELECT r.output, l.text FROM run r JOIN task t ON t.id = r.task_id JOIN run_log_chunk l ON l.run_id = r.id WHERE t.name = 'whole-way'`,
  );
  expect(rows).toEqual([{ output: { attempt: 1, payload: { a: 1 } }, text: 'hello\n' }]);
});

it('runs a task by hand, with a payload of its own', async () => {
  handlers.set('by-hand', async ({ payload }) => ({ status: 'succeeded', output: payload ?? null }));
  await fleet.save({ name: 'by-hand', payload: { from: 'task' } });
  const finished = fleet.event('run_finished', (event) => event.task === 'by-hand');
  const id = await triggerTask(fleet.db, 'by-hand', { by: by('ann'), payload: { from: 'ann' } });
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ run: id, state: 'succeeded' });
  const { rows } = await fleet.db.pool.query('SELECT output, origin, requested_by FROM run WHERE id = $1', [id]);
  expect(rows).toEqual([{ output: { from: 'ann' }, origin: 'trigger', requested_by: 'ann' }]);
});

it('skips an occurrence whose key is busy, naming the run in its way', async () => {
  let release: () => void = () => undefined;
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  handlers.set('busy', async () => {
    await blocked;
    return { status: 'succeeded' };
  });
  await fleet.save({ name: 'busy' });
  const started = fleet.event('run_started', (event) => event.task === 'busy');
  const first = await triggerTask(fleet.db, 'busy', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  await started;
  const skipped = fleet.event('run_not_started', (event) => event.key === 'busy');
  const second = await triggerTask(fleet.db, 'busy', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  expect(await skipped).toMatchObject({ run: second, task: 'busy', state: 'skipped' });
  const finished = fleet.event('run_finished', (event) => event.task === 'busy');
  release();
  await finished;
  const rows = await fleet.runs('busy');
  expect(rows.map(({ state, blocked_by }) => ({ state, blocked_by }))).toEqual([
    { state: 'succeeded', blocked_by: null },
    { state: 'skipped', blocked_by: first },
  ]);
});

it('lets runs of one task overlap where it says so', async () => {
  let inside = 0;
  let most = 0;
  let open: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  handlers.set('overlapping', async () => {
    most = Math.max(most, ++inside);
    if (inside === 2) open();
    await both;
    inside--;
    return { status: 'succeeded' };
  });
  await fleet.save({ name: 'overlapping', overlap: { policy: 'allow' } });
  await triggerTask(fleet.db, 'overlapping', { by: by('ann') });
  await triggerTask(fleet.db, 'overlapping', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  await both;
  expect(most).toBe(2);
});

it('tries a failing run again as its policy says, and keeps what each attempt said', async () => {
  handlers.set('flaky', async ({ run }) => {
    if (run.attempt < 3) throw new Error(`attempt ${run.attempt} failed`);
    return { status: 'succeeded' };
  });
  const retry = { maxAttempts: 3, backoff: { kind: 'fixed' as const, delayMs: 0 } };
  await fleet.save({ name: 'flaky', retry });
  const id = await triggerTask(fleet.db, 'flaky', { by: by('ann') });
  for (const state of ['retrying', 'retrying', 'succeeded']) {
    const finished = fleet.event('run_finished', (event) => event.task === 'flaky');
    await fleet.dispatcher.runOnce();
    expect(await finished).toMatchObject({ state });
  }
  const { rows } = await fleet.db.pool.query(
    'SELECT attempt, outcome, reason FROM attempt WHERE run_id = $1 ORDER BY 1',
    [id],
  );
  expect(rows).toEqual([
    { attempt: 1, outcome: 'failed', reason: 'attempt 1 failed' },
    { attempt: 2, outcome: 'failed', reason: 'attempt 2 failed' },
  ]);
});

it('ends a handler at its time limit', async () => {
  handlers.set(
    'endless',
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  await fleet.save({ name: 'endless', timeoutMs: 100 });
  const finished = fleet.event('run_finished', (event) => event.task === 'endless');
  await triggerTask(fleet.db, 'endless', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ state: 'timed_out', reason: 'ran longer than its time limit of 100 ms' });
});

it('ends a run once that Postgres refuses to begin, and says so', async () => {
  await fleet.save({ name: 'not-begun' });
  const ended = fleet.event('run_not_started', (event) => event.key === 'not-begun');
  const id = await triggerTask(fleet.db, 'not-begun', { by: by('ann') });
  // The number of its next attempt is none that the column can hold.
  await fleet.db.pool.query('UPDATE run SET attempt = 2147483647 WHERE id = $1', [id]);
  await fleet.dispatcher.runOnce();
  expect(await ended).toMatchObject({
    run: id,
    state: 'failed',
    reason: expect.stringContaining('Postgres refuses to begin it: integer out of range'),
  });
});

it('fails a run whose handler cannot be called for its definition, and does not take it for lost', async () => {
  await fleet.save({ name: 'not-prepared' });
  await fleet.db.pool.query(
    `UPDATE task_version v SET definition = jsonb_set(v.definition, '{schedule}', '{"kind":"cron","expression":"61 * * * *","timeZone":"UTC"}')
     FROM task t WHERE t.id = v.task_id AND t.name = 'not-prepared'`,
  );
  const finished = fleet.event('run_finished', (event) => event.task === 'not-prepared');
  await triggerTask(fleet.db, 'not-prepared', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ state: 'failed', attempt: 1, reason: expect.stringContaining('61') });
});
