import { deleteTask } from '@escapement/operations';
import { pauseTask, resumeTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { HORIZON_MS, testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, it } from 'vitest';

const fleet = await testFleet({ repeatableUpToMs: HORIZON_MS });

const every = (name: string, everyMs = 5000, phaseMs = 0) => ({
  name,
  schedule: { kind: 'every', everyMs, phaseMs } as const,
});

/** The grids in Redis, by task. */
async function repeatable(): Promise<Record<string, object>> {
  const { rows } = await fleet.db.pool.query<{ id: string; name: string }>('SELECT id, name FROM task');
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const there = await fleet.jobSchedulers.list('default+shell');
  return Object.fromEntries(
    there.map(({ taskId, everyMs, phaseMs, sound }) => [names.get(taskId), { everyMs, phaseMs, sound }]),
  );
}

function changes(): number {
  return fleet.events.filter(({ event }) => event === 'repeatable_jobs_changed').length;
}

beforeEach(async () => {
  await fleet.db.pool.query('TRUNCATE task CASCADE');
  await fleet.syncRepeatableJobs();
});

it('makes one for each task with a steady interval up to the horizon, and for no other', async () => {
  await fleet.save(every('short', 5000, 250));
  await fleet.save(every('long', HORIZON_MS + 1));
  await fleet.save({ name: 'jittered', schedule: { kind: 'every', everyMs: 5000, jitterMs: 100 } });
  await fleet.save({ name: 'ending', schedule: { kind: 'every', everyMs: 5000, endAt: '2099-01-01T00:00:00Z' } });
  await fleet.save({ name: 'later', schedule: { kind: 'every', everyMs: 5000, startAt: '2099-01-01T00:00:00Z' } });
  await fleet.save({ name: 'counted', schedule: { kind: 'fixed-delay', delayMs: 5000 } });
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual({ short: { everyMs: 5000, phaseMs: 250, sound: true } });
});

it('touches nothing where nothing has changed, nor for an edit of the payload', async () => {
  await fleet.save(every('same'));
  await fleet.syncRepeatableJobs();
  const before = changes();
  await fleet.save({ ...every('same'), payload: { a: 1 } });
  await fleet.syncRepeatableJobs();
  expect(changes()).toBe(before);
});

it('follows an edit of interval, phase and pool', async () => {
  await fleet.save(every('edited'));
  await fleet.syncRepeatableJobs();
  await fleet.save(every('edited', 4000, 100));
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual({ edited: { everyMs: 4000, phaseMs: 100, sound: true } });
  await fleet.save({ ...every('edited', 4000, 100), pool: 'other' });
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual({});
  expect(await fleet.jobSchedulers.list('other+shell')).toMatchObject([{ everyMs: 4000, phaseMs: 100 }]);
});

it('takes it away while the task is paused, puts it back on the same grid after, and ends it with the task', async () => {
  await fleet.save(every('paused', 5000, 250));
  await fleet.syncRepeatableJobs();
  await pauseTask(fleet.db, { name: 'paused', untilAt: null, by: by('ann') });
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual({});
  await resumeTask(fleet.db, 'paused', by('ann'));
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual({ paused: { everyMs: 5000, phaseMs: 250, sound: true } });
  await deleteTask(fleet.db, 'paused', by('ann'));
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual({});
});

it('puts all back after a flush, on the same grid', async () => {
  await fleet.save(every('flushed', 5000, 250));
  await fleet.save(every('too', 7000));
  await fleet.syncRepeatableJobs();
  const before = await repeatable();
  await fleet.server.send('FLUSHDB');
  expect(await repeatable()).toEqual({});
  await fleet.syncRepeatableJobs();
  expect(await repeatable()).toEqual(before);
});

it('makes one a task though replicas do it at once', async () => {
  await fleet.save(every('shared'));
  await Promise.all([
    fleet.syncRepeatableJobs(),
    fleet.syncRepeatableJobs(fleet.newRepeatableJobSync()),
    fleet.syncRepeatableJobs(fleet.newRepeatableJobSync()),
  ]);
  expect(await repeatable()).toEqual({ shared: { everyMs: 5000, phaseMs: 0, sound: true } });
  expect(await fleet.queue.counts(['default+shell'])).toMatchObject({ 'default+shell': { delayed: 1, repeats: 1 } });
});
