import { newRunId, systemClock } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { listBatches } from '../src/index.ts';
import { expectIndexed, openExplained } from './explained.ts';
import { makeTask } from './ledger.ts';

const { db, plansOf } = await openExplained(await testDatabase());
afterAll(() => db.close());

const BATCHES = 50_000;
const LIMIT = 20;

it('lists of batches read what they show, however many there are', async () => {
  const [often, seldom] = [await makeTask(db, { name: 'often' }), await makeTask(db, { name: 'seldom' })];
  const start = systemClock.now().getTime() - BATCHES * 1000;
  const ids = Array.from({ length: BATCHES }, (_, index) => newRunId(new Date(start + index * 1000)));
  await db.pool.query(
    `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, filled_by, state, created_at, ended_at)
     SELECT id, 'default', id, now(), '1', CASE WHEN place % 1000 = 1 THEN $3::uuid ELSE $2::uuid END, 1, 'none', 'continue', 1, 'done', now(), now()
     FROM unnest($1::uuid[]) WITH ORDINALITY AS i(id, place)`,
    [ids, often, seldom],
  );
  await db.pool.query('ANALYZE batch');
  const pages = [
    { limit: LIMIT },
    { limit: LIMIT, before: ids[BATCHES / 2] },
    { limit: LIMIT, taskName: 'seldom' },
    { limit: LIMIT, runId: ids[7] },
  ];
  for (const filter of pages) {
    const found = await listBatches(db, filter);
    expect(found.map(({ id }) => id)).toEqual(
      found
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expectIndexed(await plansOf(() => listBatches(db, filter)), LIMIT);
  }
});
