import { actionOf, HOUR, newRunId, systemClock } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { readRequest } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { askBulk, type BulkAsked, bulkResults, saveTask } from '../src/index.ts';
import { runsOfTask } from './runs-of-task.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'the disk was full');
const FIRST = { afterId: null, limit: 100 };

async function carriedOut(asked: BulkAsked): Promise<string> {
  const id = await askBulk(db, asked, ANN);
  for (let pass = 0; pass < 50; pass++) {
    await fleet.requests.runOnce();
    if ((await readRequest(db, id))?.result) return id;
  }
  throw new Error('it has no end');
}

test('each run that an act was done to is told once, with the run that was made of it', async () => {
  const ids = await runsOfTask(fleet, { name: 'redriven', state: 'failed', agesMs: [3 * HOUR, 2 * HOUR, HOUR] });
  const id = await carriedOut({ action: 'redrive', task: 'redriven' });
  const { items, request } = await bulkResults(db, ANN, { id, ...FIRST });
  const { rows } = await db.pool.query<{ id: string; rerun_of: string }>(
    'SELECT id, rerun_of FROM run WHERE rerun_of = ANY ($1)',
    [ids],
  );
  const madeOf = new Map(rows.map((row) => [row.rerun_of, row.id]));
  expect(items.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted());
  for (const item of items)
    expect(item).toMatchObject({ outcome: 'done', taskName: 'redriven', newRunId: madeOf.get(item.runId ?? '') });
  expect(request.id).toBe(id);
  const page = await bulkResults(db, ANN, { id, afterId: null, limit: 2 });
  const rest = await bulkResults(db, ANN, { id, afterId: page.items[1]?.id ?? 0, limit: 2 });
  expect([...page.items, ...rest.items]).toEqual(items);
});

test('a run that was said to be run again is told once, too', async () => {
  const [run] = await runsOfTask(fleet, { name: 'unknown-one', state: 'unknown', agesMs: [HOUR] });
  const id = await carriedOut({ action: 'resolve', as: 'rerun', task: 'unknown-one' });
  const { items } = await bulkResults(db, ANN, { id, ...FIRST });
  expect(items).toMatchObject([{ outcome: 'done', runId: run, newRunId: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
});

test('held runs that were dropped for a newer one are told as dropped', async () => {
  const [old, newest] = await runsOfTask(fleet, { name: 'held', state: 'held', agesMs: [2 * HOUR, HOUR] });
  const id = await carriedOut({ action: 'run_held', task: 'held', latestOnly: true });
  expect((await bulkResults(db, ANN, { id, ...FIRST })).items).toMatchObject([
    { outcome: 'dropped', runId: old, newRunId: null },
    { outcome: 'done', runId: newest, newRunId: null },
  ]);
  const dropped = await runsOfTask(fleet, { name: 'held-more', state: 'held', agesMs: [HOUR] });
  const all = await carriedOut({ action: 'drop_held', task: 'held-more' });
  expect((await bulkResults(db, ANN, { id: all, ...FIRST })).items).toMatchObject([
    { outcome: 'done', runId: dropped[0] },
  ]);
});

test('of an act on tasks the tasks are told, with the runs of those that were triggered', async () => {
  const task = { name: 'triggered', handler: { type: 'shell', command: 'true' }, labels: { team: 'shop' } } as const;
  await saveTask(db, task, { source: 'cli', by: by('test') });
  const labels = parseSelector('team=shop');
  const id = await carriedOut({ action: 'trigger', labels });
  const { rows } = await db.pool.query<{ id: string }>(
    "SELECT r.id FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = 'triggered'",
  );
  expect((await bulkResults(db, ANN, { id, ...FIRST })).items).toMatchObject([
    { outcome: 'done', runId: null, taskName: 'triggered', newRunId: rows[0]?.id },
  ]);
  const paused = await carriedOut({ action: 'pause', labels, untilAt: null });
  expect((await bulkResults(db, ANN, { id: paused, ...FIRST })).items).toMatchObject([
    { outcome: 'done', runId: null, taskName: 'triggered', newRunId: null },
  ]);
});

test('they are seen by whoever may see the act', async () => {
  const id = await askBulk(db, { action: 'cancel', task: 'redriven' }, ANN);
  const principal = { kind: 'token', id: newRunId(systemClock.now()), name: 'other', address: null } as const;
  const grants = [
    { role: 'operator', rights: [], namespace: 'default', selector: parseSelector('team=mail') },
  ] as const;
  const other = { ...actionOf(principal), grants };
  await expect(bulkResults(db, other, { id, ...FIRST })).rejects.toMatchObject({ code: 'unknown_request' });
  expect((await bulkResults(db, ANN, { id, ...FIRST })).items).toEqual([]);
});
