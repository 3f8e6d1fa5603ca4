import { HOUR, MINUTE } from '@escapement/core';
import { deleteTask, previewBackfill, startBackfill } from '@escapement/operations';
import { listBackfills, pingDatabase, resumeBackfill, stopBackfill } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createBackfiller } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const backfiller = createBackfiller({
  db: fleet.as.scheduler,
  emit: (event) => fleet.events.push(event),
  onError: () => undefined,
});
await fleet.startWorker(async () => ({ status: 'succeeded' }));

/** A task that was due each ten minutes, and an hour of its past: seven occurrences. */
async function hourly(name: string) {
  await fleet.save({ name, schedule: { kind: 'every', everyMs: 10 * MINUTE } });
  const { now } = await pingDatabase(db);
  const toAt = new Date(Math.floor(now.getTime() / (10 * MINUTE)) * 10 * MINUTE);
  return { task: name, fromAt: new Date(toAt.getTime() - HOUR), toAt, by: by('ann') };
}

/** Goes on, as the scheduler does, until the backfill has ended. */
async function toItsEnd(id: string) {
  for (;;) {
    await backfiller.runOnce();
    await fleet.dispatcher.runOnce();
    await fleet.reconciler.runOnce();
    const [found] = await listBackfills(db, { limit: 1, idPrefix: id });
    if (found?.state !== 'running') return found;
  }
}

it('makes a run for each occurrence in no row, one after the other, and ends', async () => {
  const asked = await hourly('past');
  expect(await previewBackfill(db, asked)).toMatchObject({ run: 7, rerun: 0, keep: 0 });
  const ended = await toItsEnd(await startBackfill(db, asked));
  expect(ended).toMatchObject({ state: 'done', made: 7, kept: 0, progress: { succeeded: 7 } });
  const runs = await fleet.runs('past');
  expect(new Set(runs.map(({ origin }) => origin))).toEqual(new Set(['backfill']));
  const starts = runs.map(({ started_at }) => started_at?.getTime() ?? 0);
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
});

it('keeps one row an occurrence: what ran is left alone, or gets a linked run where that is asked for', async () => {
  const asked = await hourly('again');
  await toItsEnd(await startBackfill(db, asked));
  expect(await previewBackfill(db, asked)).toMatchObject({ run: 0, rerun: 0, keep: 7 });
  const ended = await toItsEnd(await startBackfill(db, { ...asked, reprocess: 'all', concurrency: 3, reverse: true }));
  expect(ended).toMatchObject({ state: 'done', made: 7, progress: { succeeded: 7 } });
  const { rows } = await db.pool.query(
    `SELECT r.scheduled_for = o.scheduled_for AS same FROM run r JOIN run o ON o.id = r.rerun_of
     JOIN task t ON t.id = r.task_id WHERE t.name = 'again' AND r.origin = 'rerun'`,
  );
  expect(rows).toHaveLength(7);
  expect(rows.every(({ same }) => same)).toBe(true);
});

it('runs again what lies in a stretch that was missed, linked to its row', async () => {
  const asked = await hourly('missed');
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = $2 WHERE name = $1 RETURNING id) UPDATE task_plan SET next_run_at = $2, plan_seq = plan_seq + 1 FROM t WHERE task_id = t.id`,
    ['missed', asked.fromAt.toISOString()],
  );
  await fleet.planner.runOnce();
  const preview = await previewBackfill(db, asked);
  expect(preview.run).toBe(0);
  expect(preview.rerun).toBeGreaterThanOrEqual(5);
});

it('does each step once, however many schedulers do it', async () => {
  const asked = await hourly('raced');
  const id = await startBackfill(db, { ...asked, concurrency: 2 });
  const others = [1, 2, 3].map(() => createBackfiller({ db, emit: () => undefined, onError: () => undefined }));
  await Promise.all(others.map((each) => each.runOnce()));
  const ended = await toItsEnd(id);
  expect(ended).toMatchObject({ made: 7, progress: { succeeded: 7 } });
});

it('stops when asked, goes on where it had come to, and gives up where the task is gone', async () => {
  const asked = await hourly('stopped');
  const id = await startBackfill(db, asked);
  await backfiller.runOnce();
  expect(await stopBackfill(db, id, by('ann', 'wrong week'))).toBe(1);
  expect(await stopBackfill(db, id, by('ann'))).toBeNull();
  const [stopped] = await fleet.runs('stopped');
  expect(stopped).toMatchObject({ state: 'cancelled', reason: 'cancelled by ann before it started: wrong week' });
  const { rows } = await db.pool.query(
    'SELECT principal_name AS actor, action, subject, reason FROM audit WHERE subject = ANY ($1) ORDER BY action',
    [[`backfill:${id}`, `run:${stopped?.id}`]],
  );
  expect(rows).toEqual([
    { actor: 'ann', action: 'cancel', subject: `run:${stopped?.id}`, reason: 'wrong week' },
    { actor: 'ann', action: 'start', subject: `backfill:${id}`, reason: null },
    { actor: 'ann', action: 'stop', subject: `backfill:${id}`, reason: 'wrong week' },
  ]);
  await backfiller.runOnce();
  expect((await fleet.runs('stopped')).length).toBe(1);
  expect(await resumeBackfill(db, id, by('ann'))).toBe(true);
  expect(await toItsEnd(id)).toMatchObject({ state: 'done', made: 7 });
  const other = await startBackfill(db, { ...asked, reprocess: 'all' });
  await deleteTask(db, 'stopped', by('ann'));
  expect(await toItsEnd(other)).toMatchObject({ state: 'stopped', error: 'the task was deleted' });
});

it.each([
  ['a task by hand', {}, 'no_occurrences'],
  ['a range in the future', { toAt: new Date(Date.UTC(2999, 0)) }, 'bad_range'],
  ['a range that is too long', { fromAt: new Date(0) }, 'backfill_too_long'],
])('refuses %s', async (what, range, code) => {
  const asked = await hourly('refused');
  if (what === 'a task by hand') await fleet.save({ name: 'refused', schedule: { kind: 'manual' } });
  if (code === 'backfill_too_long') await fleet.save({ name: 'refused', schedule: { kind: 'every', everyMs: MINUTE } });
  await expect(startBackfill(db, { ...asked, ...range })).rejects.toMatchObject({ code });
});
