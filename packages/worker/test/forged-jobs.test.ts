import { randomUUID } from 'node:crypto';
import { type Handler, newRunId, systemClock } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { beginRuns, type Database, findRun } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

// Who can write to Redis can make jobs. A job that names a run which is not for this worker begins nothing and changes nothing.
const fleet = await testFleet();
const { db, queue } = fleet;
const started: string[] = [];
const handler: Handler = async ({ run }) => {
  started.push(run.id);
  return { status: 'succeeded' };
};
await fleet.startWorker(handler);

/** A run that is due and that no queue was told of. */
async function aRun(scope: Database, name: string, pool = 'default'): Promise<string> {
  const definition = { name, pool, handler: { type: 'shell', command: 'true' }, overlap: 'allow' } as const;
  await saveTask(scope, definition, { source: 'test', by: by('test') });
  return await triggerTask(scope, name, { by: by('test') });
}

/** A job as an attacker would write it: in a queue that this worker serves, under the dispatch number that the run has next. */
async function forge(...runIds: string[]): Promise<void> {
  const jobs = runIds.map((runId) => ({ runId, queue: 'default+shell', dispatch: 1, delayMs: 0 }));
  expect(await queue.add(jobs)).toEqual(jobs.map(() => ({ ok: true })));
}

/** The worker is at work still: it runs what is its own. */
async function runsItsOwn(name: string): Promise<void> {
  const id = await aRun(db, name);
  await fleet.dispatcher.runOnce();
  await expect.poll(() => started).toContain(id);
}

const victim: Database = { ...db, namespace: 'victim' };

it('a job that names a run of another namespace begins nothing, is dropped and told', async () => {
  const runId = await aRun(victim, 'theirs');
  const refused = fleet.event('job_refused', ({ run }) => run === runId);
  await forge(runId);
  expect(await refused).toMatchObject({ queue: 'default+shell', why: 'not_there' });
  await runsItsOwn('ours-1');
  expect(started).not.toContain(runId);
  expect(await findRun(victim, runId)).toMatchObject({ state: 'planned', attempt: 0, cancelRequestedAt: null });
  await expect.poll(() => queue.present([{ runId, queue: 'default+shell', dispatch: 1 }])).toEqual([false]);
});

it('a job that names a run of another pool begins nothing; the run waits for its own worker', async () => {
  const runId = await aRun(db, 'guarded', 'vault');
  const refused = fleet.event('job_refused', ({ run }) => run === runId);
  await forge(runId);
  expect(await refused).toMatchObject({ queue: 'default+shell', why: 'other_queue' });
  await runsItsOwn('ours-2');
  expect(started).not.toContain(runId);
  expect(await findRun(db, runId)).toMatchObject({ state: 'queued', attempt: 0, pool: 'vault' });
  // Its true job is where it belongs.
  expect(await queue.present([{ runId, queue: 'vault+shell', dispatch: 1 }])).toEqual([true]);
});

it('a bundle with forged members brings only what is for this worker', async () => {
  const theirs = await Promise.all(Array.from({ length: 10 }, (_, index) => aRun(victim, `theirs-${index}`)));
  const ours = await aRun(db, 'among-them');
  await forge(...theirs, ours);
  await expect.poll(() => started).toContain(ours);
  expect(started.filter((id) => theirs.includes(id))).toEqual([]);
  expect(new Set(await Promise.all(theirs.map(async (id) => (await findRun(victim, id))?.state)))).toEqual(
    new Set(['planned']),
  );
});

it('a job that names no run at all, or is none of ours, is told of too', async () => {
  const [invented, nonsense] = [newRunId(systemClock.now()), `x'; DROP TABLE run; --`];
  const refused = [invented, nonsense].map((id) => fleet.event('job_refused', ({ run }) => run === id));
  const malformed = fleet.event('job_refused', ({ why }) => why === 'malformed');
  await forge(invented);
  await forge(nonsense);
  const base = 'esc:{default:default+shell}:default+shell';
  const fields = { name: 'x', data: '{"v":9}', opts: '{}', timestamp: '1', delay: '0', priority: '0' };
  await fleet.server.send('HSET', `${base}:odd`, ...Object.entries(fields).flat());
  await fleet.server.send('LPUSH', `${base}:wait`, 'odd');
  await fleet.server.send('ZADD', `${base}:marker`, 0, '0');
  expect(await Promise.all(refused)).toMatchObject([{ why: 'not_there' }, { why: 'not_there' }]);
  expect(await malformed).toMatchObject({ queue: 'default+shell', run: null, detail: expect.stringContaining('v: ') });
  await runsItsOwn('ours-3');
});

it('begin itself refuses both, should the run have been moved since it was looked up', async () => {
  const [theirs, guarded] = [await aRun(victim, 'moved'), await aRun(db, 'moved', 'vault')];
  const requests = await Promise.all(
    [theirs, guarded].map(async (runId, index) => {
      const run = await findRun(index === 0 ? victim : db, runId);
      if (!run) throw new Error('no run');
      const request = { runId, scheduledFor: run.scheduledFor, dispatch: 1, key: run.key, slot: null };
      return { ...request, beginId: randomUUID(), worker: 'worker-1' };
    }),
  );
  const queues = ['default', 'default+shell'];
  expect(await beginRuns(db, requests, queues)).toEqual([{ kind: 'stale' }, { kind: 'stale' }]);
  // Both could have begun where they belong.
  expect(await beginRuns(victim, requests.slice(0, 1), queues)).toMatchObject([{ kind: 'begun' }]);
  expect(await beginRuns(db, requests.slice(1), ['vault+shell'])).toMatchObject([{ kind: 'begun' }]);
});

it.each([
  ['a run of another namespace that runs', async () => (await running(victim, 'theirs-runs')).concat(' 1 w ')],
  ['a run of another key that runs', async () => (await running(db, 'ours-runs')).concat(' 1 w ')],
  ['nobody', async () => 'x%y 1 %E0%A4%A '],
])('a forged lease in the name of %s keeps no run from its key', async (who, value) => {
  const key = `kept-from-${who.length}`;
  const definition = { name: key, handler: { type: 'shell', command: 'true' } } as const;
  await saveTask(db, definition, { source: 'test', by: by('test') });
  await fleet.server.send('SET', `esc:{default:${key}}:lease:1`, `${await value()}2026-01-01T00:00:00.000Z`, 'EX', 600);
  const runId = await triggerTask(db, key, { by: by('test') });
  await fleet.dispatcher.runOnce();
  await expect.poll(() => started, { timeout: 10_000 }).toContain(runId);
  await fleet.reconcile();
});

/** A run that a worker has begun and goes on with. */
async function running(scope: Database, name: string): Promise<string> {
  const runId = await aRun(scope, name);
  const run = await findRun(scope, runId);
  if (!run) throw new Error('no run');
  const request = { runId, scheduledFor: run.scheduledFor, dispatch: 1, key: run.key, slot: null };
  expect(await beginRuns(scope, [{ ...request, beginId: randomUUID(), worker: 'w' }])).toMatchObject([
    { kind: 'begun' },
  ]);
  return runId;
}
