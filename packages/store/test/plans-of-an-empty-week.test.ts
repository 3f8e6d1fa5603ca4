import { randomUUID } from 'node:crypto';
import { newRunId, systemClock } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  areStale,
  beginRuns,
  cancelRequests,
  finishRuns,
  haveFinished,
  lookUpRepeats,
  lookUpRuns,
  markQueued,
  planRuns,
  redispatchRuns,
} from '../src/index.ts';
import { expectIndexed, openExplained } from './explained.ts';
import { makeTask, SUCCEEDED } from './ledger.ts';

const RUNS = 200_000;
const BATCH = 20;
/** A minute ago, so that all may begin: they share the week's partition. */
const AT = new Date(systemClock.now().getTime() - 60_000);

const { db, plansOf } = await openExplained(await testDatabase());
afterAll(() => db.close());

interface Sample {
  id: string;
  scheduledFor: Date;
  taskId: string;
  key: string;
}

/** Each statement on some runs; on a table without rows it finds none. */
function statements(samples: readonly Sample[]): Record<string, () => Promise<unknown>> {
  const refs = samples.map(({ id, scheduledFor }) => ({ runId: id, scheduledFor }));
  const begins = samples.map(({ id, scheduledFor, key }) => {
    return { runId: id, scheduledFor, dispatch: 1, beginId: randomUUID(), key, slot: 1, worker: 'worker-1' };
  });
  const seen = { state: 'running', dispatch: 1, attempt: 1 };
  const ends = refs.map((ref) => ({ ...ref, seen, fence: 1n, finishId: randomUUID(), verdict: SUCCEEDED }));
  const waits = samples.map(({ id, scheduledFor }) => ({
    id,
    scheduledFor,
    dispatch: 5,
    queue: 'default',
    dueAt: AT,
    takenAt: null,
  }));
  return {
    lookUpRuns: () => lookUpRuns(db, refs),
    lookUpRepeats: () =>
      lookUpRepeats(
        db,
        samples.map(({ taskId, scheduledFor }) => ({ taskId, scheduledFor, queue: 'default' })),
      ),
    markQueued: () =>
      markQueued(
        db,
        samples.map(({ id, scheduledFor }) => ({ id, scheduledFor, dispatch: 9 })),
      ),
    areStale: () =>
      areStale(
        db,
        refs.map(({ runId }) => ({ runId, dispatch: 1 })),
      ),
    haveFinished: () =>
      haveFinished(
        db,
        refs.map(({ runId }) => runId),
      ),
    redispatchRuns: () => redispatchRuns(db, waits, { deadMs: 1000 }),
    cancelRequests: () =>
      cancelRequests(
        db,
        refs.map(({ runId }) => runId),
      ),
    beginRuns: () => beginRuns(db, begins),
    'plain end': () =>
      finishRuns(
        db,
        ends.map((end) => ({ ...end, countsFromEnd: false })),
      ),
    'any end': () => finishRuns(db, ends),
  };
}

it('plans that were made while the week was empty and analysed look rows up one by one once it is full', {
  timeout: 120_000,
}, async () => {
  const taskId = await makeTask(db, { name: 'empty-week' });
  const none = Array.from({ length: BATCH }, () => ({
    id: newRunId(AT),
    scheduledFor: AT,
    taskId: randomUUID(),
    key: 'none',
  }));
  // Nobody tells Postgres that there is something now, as in the first minutes of a week.
  const { rows: parts } = await db.pool.query<{ part: string }>(
    'SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = $1::regclass',
    ['run'],
  );
  for (const { part } of parts) await db.pool.query(`ALTER TABLE ${part} SET (autovacuum_enabled = off)`);
  await db.pool.query('VACUUM ANALYZE');
  for (const call of Object.values(statements(none))) for (let round = 0; round < 7; round++) await call();
  await planRuns(db, [], []);

  await db.pool.query(FILL, [AT, taskId, RUNS]);
  const { rows } = await db.pool.query<Sample>(
    `SELECT id, scheduled_for AS "scheduledFor", task_id AS "taskId", key FROM run ORDER BY id LIMIT $1 OFFSET 5000`,
    [BATCH],
  );
  for (const [name, call] of Object.entries(statements(rows))) {
    const found = await plansOf(call, 1);
    expect(found.length, name).toBeGreaterThan(0);
    expectIndexed(found, BATCH);
  }
});

// Each its own task, a millisecond apart: an index on tasks and instants is as long as the week is full.
const FILL = `
WITH made AS (
  INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
  SELECT 'filled-' || n, t.definition, t.schedule, 'filled-' || n, 1, 'skip', 'default', 'test', t.effective_at
  FROM task t, generate_series(1, 1000) AS n WHERE t.id = $2 RETURNING id, name
), numbered AS (SELECT id, name, row_number() OVER () - 1 AS place FROM made)
INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, dispatch)
SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(s.n::text), 1, 3) || '8' || substr(md5(s.n::text), 4, 15))::uuid, to_timestamp(ms / 1000.0),
  'default', m.id, 1, 1, 'schedule', 'queued', m.name, 1, 'skip', 'default', $1::timestamptz, 1
FROM (SELECT n, (extract(epoch FROM $1::timestamptz) * 1000)::bigint - n / 1000 AS ms FROM generate_series(0, $3::integer - 1) AS n) s
JOIN numbered m ON m.place = s.n % 1000`;
