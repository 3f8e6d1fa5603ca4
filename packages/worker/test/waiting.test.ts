import type { Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

/** Of each task: what its runs wait for, one after the other. */
const latches = new Map<string, (() => void)[]>();
const handler: Handler = async ({ run, signal }) => {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
    const opened = latches.get(run.taskName) ?? [];
    latches.set(run.taskName, [...opened, resolve]);
  });
  signal.throwIfAborted();
  return { status: 'succeeded' };
};
await fleet.startWorker(handler);
await fleet.startWorker(handler);

type Answer = 'run_started' | 'run_waiting' | 'run_not_started';

/** Triggers a task and says what its run does first. */
async function arrive(task: string): Promise<{ id: string; answer: Answer }> {
  const next = Promise.race([
    fleet.event('run_started', (event) => event.task === task),
    fleet.event('run_waiting', (event) => event.key === task),
    fleet.event('run_not_started', (event) => event.key === task && !event.reason.startsWith('replaced')),
  ]);
  const id = await triggerTask(fleet.db, task, { by: by('ann') });
  await fleet.dispatcher.runOnce();
  const { event, run } = await next;
  expect(run).toBe(id);
  return { id, answer: event };
}

/** Lets the run of the task end that is at work. */
async function end(task: string): Promise<void> {
  const finished = fleet.event('run_finished', (event) => event.task === task);
  const started = latches.get(task) ?? [];
  latches.set(task, []);
  for (const open of started) open();
  await finished;
}

const started = (task: string) => fleet.event('run_started', (event) => event.task === task);
const states = async (task: string) => (await fleet.runs(task)).map(({ state }) => state);

it('runs all that wait under wait-all, each when the one before it ends, without a scheduler', async () => {
  await fleet.save({ name: 'all', overlap: { policy: 'wait-all' } });
  const order = [await arrive('all'), await arrive('all'), await arrive('all')];
  expect(order.map(({ answer }) => answer)).toEqual(['run_started', 'run_waiting', 'run_waiting']);
  for (const { id } of order.slice(1)) {
    const next = started('all');
    await end('all');
    expect(await next).toMatchObject({ run: id, attempt: 1 });
  }
  await end('all');
  expect(await states('all')).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

it('keeps one waiting under wait-one and skips the others, naming who is in the way', async () => {
  await fleet.save({ name: 'one', overlap: 'wait-one' });
  const [first, second, third] = [await arrive('one'), await arrive('one'), await arrive('one')];
  expect(third.answer).toBe('run_not_started');
  const rows = await fleet.runs('one');
  expect(rows[2]).toMatchObject({ state: 'skipped', blocked_by: first.id });
  expect(rows[2]?.reason).toContain(`run ${second.id} waited for it already`);
  const next = started('one');
  await end('one');
  expect(await next).toMatchObject({ run: second.id });
  await end('one');
});

it('skips what finds the wait queue of wait-all full', async () => {
  await fleet.save({ name: 'bounded', overlap: { policy: 'wait-all', maxWaiting: 2 } });
  const answers = [];
  for (let count = 0; count < 4; count++) answers.push((await arrive('bounded')).answer);
  expect(answers).toEqual(['run_started', 'run_waiting', 'run_waiting', 'run_not_started']);
  expect((await fleet.runs('bounded'))[3]?.reason).toContain('2 runs waited for it already');
});

it('stops the running one under replace and starts the newest once it is over', async () => {
  await fleet.save({ name: 'replaced', overlap: 'replace' });
  const first = await arrive('replaced');
  const finished = fleet.event('run_finished', ({ run }) => run === first.id);
  const next = started('replaced');
  const second = await arrive('replaced');
  expect(second.answer).toBe('run_waiting');
  expect(await finished).toMatchObject({
    state: 'cancelled',
    reason: `cancelled while running: replaced by run ${second.id}`,
  });
  expect(await next).toMatchObject({ run: second.id });
  await end('replaced');
});

it('lets a run wait for a moment under skipAfterMs, then skips it', async () => {
  await fleet.save({ name: 'moment', overlap: { policy: 'skip', skipAfterMs: 1 } });
  const [first, second] = [await arrive('moment'), await arrive('moment')];
  expect(second.answer).toBe('run_waiting');
  await fleet.db.pool.query('SELECT pg_sleep(0.002)');
  await fleet.reconciler.runOnce();
  const rows = await fleet.runs('moment');
  expect(rows[1]).toMatchObject({ id: second.id, state: 'skipped', blocked_by: first.id });
  await end('moment');
});

it('takes runs of two tasks that share a key in turn, each by its own policy', async () => {
  await fleet.save({ name: 'shared', overlap: 'wait-all' });
  await fleet.save({ name: 'sharing', key: 'shared', overlap: 'skip' });
  const first = await arrive('shared');
  await arrive('shared');
  const skipped = fleet.event('run_not_started', ({ key }) => key === 'shared');
  const other = await triggerTask(fleet.db, 'sharing', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  expect(await skipped).toMatchObject({ run: other, reason: expect.stringContaining(first.id) });
  const next = started('shared');
  await end('shared');
  await next;
  await end('shared');
});

it('goes on with the wait queue when the job of a woken run is lost, and when its wake-up is', async () => {
  await fleet.save({ name: 'lost', overlap: 'wait-all' });
  await arrive('lost');
  const second = await arrive('lost');
  await fleet.db.pool.query(`UPDATE key_slot SET awaited = false WHERE key = 'lost'`);
  await fleet.db.pool.query(`UPDATE run SET overlap = 'wait-one' WHERE key = 'lost' AND state = 'running'`);
  await end('lost');
  expect(await states('lost')).toEqual(['succeeded', 'waiting']);
  const next = started('lost');
  await fleet.db.pool.query(`UPDATE cluster_lock SET taken_at = '-infinity'`);
  await fleet.reconciler.runOnce();
  await fleet.db.pool.query(`UPDATE cluster_lock SET taken_at = '-infinity'`);
  await fleet.reconciler.runOnce();
  expect(await next).toMatchObject({ run: second.id });
  await end('lost');
});

it('fills the slots of a key under wait-all in order, as many as there are', async () => {
  await fleet.save({ name: 'many', limit: 2, overlap: 'wait-all' });
  const runs = [await arrive('many'), await arrive('many'), await arrive('many'), await arrive('many')];
  expect(runs.map(({ answer }) => answer)).toEqual(['run_started', 'run_started', 'run_waiting', 'run_waiting']);
  const third = fleet.event('run_started', ({ run }) => run === runs[2]?.id);
  const fourth = fleet.event('run_started', ({ run }) => run === runs[3]?.id);
  const bothOver = Promise.all(
    [runs[0], runs[1]].map((each) => fleet.event('run_finished', ({ run }) => run === each?.id)),
  );
  await end('many');
  await bothOver;
  await Promise.all([third, fourth]);
  const rows = await fleet.runs('many');
  expect(rows[2]?.started_at?.getTime()).toBeLessThanOrEqual(rows[3]?.started_at?.getTime() ?? 0);
  await end('many');
});
