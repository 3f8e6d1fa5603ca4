import { newRunId } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import {
  acceptCopy,
  countCopiedWork,
  type Database,
  finishRuns,
  ledgerOrigin,
  noteAlive,
  openDatabase,
  ownLedger,
  putRequest,
  readAuditLog,
  readFreeze,
  readRequest,
  waitRun,
  writeHeartbeat,
} from '../src/index.ts';
import { ago, begun, finishRequest, MINUTE, makeTask, queueRuns, stateOf, WORKER } from './ledger.ts';

const { url } = await testDatabase();
const open = (namespace: string) => openDatabase({ url, namespace, applicationName: 'test' });
const WHO = by('ann', 'the disk is gone');

test('a row that is written anew is a copy; one that Postgres itself writes anew is none', async () => {
  const db = open('origin');
  expect((await ledgerOrigin(db)).copied).toBeNull();
  await ownLedger(db);
  for (const statement of [
    'VACUUM FREEZE ledger_origin',
    'VACUUM FULL ledger_origin',
    'SELECT FROM ledger_origin FOR UPDATE',
  ])
    await db.pool.query(statement);
  expect(await ledgerOrigin(db)).toMatchObject({ copied: false, checkedAt: null, lastSignAt: null, unsafe: false });

  await noteAlive(db);
  expect(await ledgerOrigin(db)).toMatchObject({ copied: false });
  for (const own of [ownLedger, noteAlive]) {
    await copied(db);
    expect(await ledgerOrigin(db)).toMatchObject({ copied: true, unsafe: false });
    await own(db);
    expect((await ledgerOrigin(db)).copied).toBe(false);
  }
  await db.close();
});

test('a copy that is old stays so, whatever programs that were not stopped before it give signs of life in it', async () => {
  const db = open('survived');
  await ownLedger(db);
  await copied(db, 2 * MINUTE);
  await signOfLife(db, 2 * MINUTE);
  const { alive, lastSignAt } = await unsafe(db);
  expect(lastSignAt).not.toBeNull();
  // As a program that goes on does.
  const answer = await writeHeartbeat(db, { ...WORKER, id: 'survivor' }, { activeRuns: [], clockOffsetMs: 0 });
  expect(answer.restored).toBe(true);
  await noteAlive(db);
  expect(await unsafe(db)).toEqual({ alive, lastSignAt: alive });
  await ownLedger(db);
  expect(await ledgerOrigin(db)).toMatchObject({ copied: false, unsafe: false });
  const next = await writeHeartbeat(db, { ...WORKER, id: 'survivor' }, { activeRuns: [], clockOffsetMs: 0 });
  expect(next.restored).toBe(false);
  await db.close();
});

test('a copy of a version that gave no such sign is judged by its heartbeats', async () => {
  const db = open('earlier');
  await ownLedger(db);
  await copied(db);
  await db.pool.query(`UPDATE ledger_origin SET alive_at = NULL WHERE namespace = 'earlier'`);
  await signOfLife(db, 2 * MINUTE);
  expect(await ledgerOrigin(db)).toMatchObject({ copied: true, unsafe: true });
  await signOfLife(db, 0);
  expect(await ledgerOrigin(db)).toMatchObject({ copied: true, unsafe: false });
  await db.close();
});

test('what had begun ends as unknown, what had not as skipped, what is due later stays, and nothing goes on by itself', async () => {
  const [db, other] = [open('mine'), open('other')];
  const runs = await openRuns(db);
  const theirs = await openRuns(other);
  await copied(db);
  expect(await countCopiedWork(db)).toMatchObject({ running: 1, retrying: 0, notBegun: 2 });
  const choices = { copyAt: ago(MINUTE), untilAt: ago(0), close: true, lose: true };
  expect(await acceptCopy(db, choices, WHO)).toMatchObject({ unknown: 1, skipped: 2, backfills: 1 });
  expect(await states(db, runs)).toEqual(['unknown', 'skipped', 'skipped', 'queued']);
  expect(await states(other, theirs)).toEqual(['running', 'queued', 'queued', 'queued']);
  expect(await countCopiedWork(db)).toMatchObject({ running: 0, notBegun: 0, unknown: 1, backfills: 0 });
  expect(await countCopiedWork(other)).toMatchObject({ running: 1, notBegun: 2, backfills: 1 });
  expect(await ledgerOrigin(db)).toMatchObject({ copied: false, checkedAt: expect.any(Date) });
  // The time that was lost has passed.
  expect(await readFreeze(db)).toBeNull();
  const { rows } = await db.pool.query(
    `SELECT DISTINCT reason FROM run WHERE namespace = 'mine' AND finished_at IS NOT NULL`,
  );
  expect(rows).toEqual([
    { reason: expect.stringMatching(/^it had not begun when the copy of .*Z was taken, .* is not known$/) },
  ]);
  expect(await readAuditLog(db, { limit: 1 })).toMatchObject([
    { action: 'accept_copy', reason: 'the disk is gone', detail: { unknown: 1, skipped: 2 } },
  ]);
  for (const each of [db, other]) await each.close();
});

test('what had tried once is unknown too; what waits for its key, what follows, batches and bulk actions end with it', async () => {
  const db = open('more');
  const taskId = await makeTask(db, { name: 'nightly', overlap: 'wait-all' });
  const ages = [3 * MINUTE, 2 * MINUTE, MINUTE];
  const runs = await queueRuns(
    db,
    ages.map((ageMs) => ({ taskId, key: 'nightly', ageMs })),
  );
  const [first] = await begun(db, runs.slice(0, 1));
  if (!first) throw new Error('not begun');
  // The other two wait for it.
  for (const run of runs.slice(1))
    await waitRun(db, { ...run, seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 } });
  const retryAt = ago(-60 * MINUTE);
  await finishRuns(db, [
    finishRequest(first, {
      to: 'retrying',
      reason: 'no luck',
      retryAt,
      attemptOutcome: 'failed',
      lost: false,
      uncounted: false,
    }),
  ]);
  const ids = runs.map(({ runId }) => runId);
  expect(await states(db, ids)).toEqual(['retrying', 'waiting', 'waiting']);
  await db.pool.query(
    `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, filled_by, created_at)
     VALUES ($1, 'more', $2, $3, 'b', $4, 1, 'none', 'continue', 1, now())`,
    [newRunId(ago(0)), first.runId, first.scheduledFor, taskId],
  );
  await db.pool.query(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, detail)
     VALUES ('more', $1, $2, $3, 'finished', NULL), ('more', $1, $2, $3, 'next', '{"at": 0}')`,
    [first.runId, first.scheduledFor, taskId],
  );
  const requestId = await putRequest(db, {
    request: { kind: 'cancel_runs' },
    by: WHO,
    patienceMs: MINUTE,
    inChunks: true,
  });

  expect(await countCopiedWork(db)).toMatchObject({ retrying: 1, notBegun: 2, requests: 1, batches: 1, followers: 1 });
  const choices = { copyAt: ago(MINUTE), untilAt: ago(0), close: true, lose: true };
  expect(await acceptCopy(db, choices, WHO)).toMatchObject({
    unknown: 1,
    skipped: 2,
    requests: 1,
    batches: 1,
    followers: 1,
  });
  expect(await states(db, ids)).toEqual(['unknown', 'skipped', 'skipped']);
  expect((await readRequest(db, requestId))?.halt).toBe('cancelled');
  const { rows } = await db.pool.query(
    `SELECT (SELECT state FROM batch WHERE namespace = 'more') AS batch, (SELECT count(*)::integer FROM key_slot WHERE namespace = 'more' AND run_id IS NOT NULL) AS held,
       (SELECT array_agg(event) FROM followers_outbox WHERE namespace = 'more' AND given_up_at IS NULL) AS left`,
  );
  expect(rows).toEqual([{ batch: 'cancelling', held: 0, left: ['next'] }]);
  await db.close();
});

test('all or nothing of it is done', async () => {
  const db = open('whole');
  const runs = await openRuns(db);
  await db.pool.query(`ALTER TABLE fleet_freeze ADD CONSTRAINT never CHECK (namespace <> 'whole')`);
  const choices = { copyAt: ago(MINUTE), untilAt: ago(0), close: true, lose: true };
  await expect(acceptCopy(db, choices, WHO)).rejects.toThrow('never');
  expect(await states(db, runs)).toEqual(['running', 'queued', 'queued', 'queued']);
  expect(await acceptCopy(db, { ...choices, close: false, lose: false }, WHO)).toMatchObject({
    unknown: 0,
    skipped: 0,
  });
  expect(await states(db, runs)).toEqual(['running', 'queued', 'queued', 'queued']);
  await db.close();
});

/** One that runs, two that are due, and one that is due later; and a backfill. */
async function openRuns(db: Database): Promise<string[]> {
  const taskId = await makeTask(db, { name: 'nightly' });
  const ages = [3 * MINUTE, 2 * MINUTE, MINUTE, -60 * MINUTE];
  const queued = await queueRuns(
    db,
    ages.map((ageMs, index) => ({ taskId, key: `k${index}`, ageMs })),
  );
  await begun(db, queued.slice(0, 1));
  await db.pool.query(
    `INSERT INTO backfill (id, namespace, task_id, from_at, to_at, reprocess, concurrency, reverse, requested_by)
     VALUES ($1, $2, $3, now(), now(), 'none', 1, false, 'ann')`,
    [newRunId(ago(0)), db.namespace, taskId],
  );
  return queued.map(({ runId }) => runId);
}

async function states(db: Database, runs: readonly string[]): Promise<(string | undefined)[]> {
  return await Promise.all(runs.map((run) => stateOf(db, run)));
}

/** As pg_restore leaves a dump of that age. */
async function copied(db: Database, ageMs = 0): Promise<void> {
  await ownLedger(db);
  await db.pool.query('UPDATE ledger_origin SET written_in = written_in + 0, alive_at = $2 WHERE namespace = $1', [
    db.namespace,
    ago(ageMs),
  ]);
}

/** What a copy says that is not to be worked on. */
async function unsafe(db: Database): Promise<{ alive: Date | undefined; lastSignAt: Date | null }> {
  const { unsafe, lastSignAt } = await ledgerOrigin(db);
  expect(unsafe).toBe(true);
  const { rows } = await db.pool.query<{ at: Date }>('SELECT alive_at AS at FROM ledger_origin WHERE namespace = $1', [
    db.namespace,
  ]);
  return { alive: rows[0]?.at, lastSignAt };
}

async function signOfLife(db: Database, ageMs: number): Promise<void> {
  await db.pool.query(
    `INSERT INTO process (id, namespace, role, host, pid, app_version, heartbeat_at) VALUES ('s ' || $1, $1, 'scheduler', 'h', 1, '1', $2)
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
    [db.namespace, ago(ageMs)],
  );
}
