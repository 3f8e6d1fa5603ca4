import { by } from '@escapement/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  auditEntries,
  beginRuns,
  cancelRequests,
  type Database,
  findCancelledRuns,
  findRun,
  finishCancelledRuns,
  finishRuns,
  insertBackfill,
  listenForCancel,
  lostRuns,
  openDatabase,
  requestCancel,
  stopBackfill,
} from '../src/index.ts';
import {
  ago,
  beginRequest,
  begun,
  finishRequest,
  MINUTE,
  makeTask,
  queueRuns,
  stateOf,
  twoProcesses,
} from './ledger.ts';

const processes = await twoProcesses();
const db: Database = processes.one;
afterAll(() => processes.close());

const ANN = by('ann', 'wrong payload');
/** How a worker hears of it. */
const ASKED = { who: 'ann', reason: 'wrong payload' };

async function queued(name: string, ages: readonly number[] = [MINUTE]) {
  const taskId = await makeTask(db, { name });
  return await queueRuns(
    db,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
}

async function one<Row>(rows: Promise<readonly Row[]>): Promise<Row> {
  const [row] = await rows;
  if (!row) throw new Error('no fixture');
  return row;
}

/** Time stands still between what is done on one connection: it is one transaction. */
async function inOneInstant(asked: (alone: Database) => Promise<void>): Promise<void> {
  const alone = openDatabase({ url: db.url, applicationName: 'alone', connections: 1 });
  await alone.pool.query('BEGIN');
  await asked({ ...alone, hot: alone.pool });
  await alone.pool.query('COMMIT');
  await alone.close();
}

async function retrying(name: string, ages?: readonly number[]) {
  const runs = await queued(name, ages);
  const run = await one(begun(db, runs.slice(0, 1)));
  const retryAt = ago(-60 * MINUTE);
  await finishRuns(db, [
    finishRequest(run, {
      to: 'retrying',
      reason: 'x',
      retryAt,
      attemptOutcome: 'failed',
      lost: false,
      uncounted: false,
    }),
  ]);
  return { run, runs };
}

describe('a request to cancel', () => {
  it('ends a queued run at once, and says by whom and why', async () => {
    const run = await one(queued('queued'));
    expect(await requestCancel(db, run.runId, ANN)).toEqual({ kind: 'cancelled' });
    expect(await findRun(db, run.runId)).toMatchObject({
      state: 'cancelled',
      reason: 'cancelled by ann before it started: wrong payload',
      cancelRequestedBy: 'ann',
      cancelReason: 'wrong payload',
      finishedAt: expect.any(Date),
    });
    expect(await one(beginRuns(db, [beginRequest(run)]))).toEqual({ kind: 'stale' });
  });

  it('ends a planned run at once', async () => {
    const run = await one(queued('planned'));
    await db.pool.query(`UPDATE run SET state = 'planned', dispatch = 0 WHERE id = $1`, [run.runId]);
    expect(await requestCancel(db, run.runId, by('ann'))).toEqual({ kind: 'cancelled' });
    expect(await findRun(db, run.runId)).toMatchObject({ reason: 'cancelled by ann before it started' });
  });

  it('ends a run between attempts, which frees its slot for the next', async () => {
    const { run, runs } = await retrying('slot', [2 * MINUTE, MINUTE]);
    const second = await one(Promise.resolve(runs.slice(1)));
    expect(await one(beginRuns(db, [beginRequest(second)]))).toMatchObject({ kind: 'busy', holder: run.runId });
    expect(await requestCancel(db, run.runId, ANN)).toEqual({ kind: 'cancelled' });
    expect(await findRun(db, run.runId)).toMatchObject({ reason: 'cancelled by ann between attempts: wrong payload' });
    const { rows } = await db.pool.query(`SELECT run_id FROM key_slot WHERE key = 'slot'`);
    expect(rows).toEqual([{ run_id: null }]);
    expect(await one(beginRuns(db, [beginRequest(second)]))).toMatchObject({ kind: 'begun' });
  });

  it('leaves a running run to its worker, which finds the first request among those it holds', async () => {
    const run = await one(begun(db, await queued('running')));
    const other = await one(begun(db, await queued('not-asked')));
    expect(await requestCancel(db, run.runId, ANN)).toEqual({ kind: 'requested' });
    expect(await requestCancel(db, run.runId, by('bob', 'me too'))).toEqual({ kind: 'requested' });
    expect(await stateOf(db, run.runId)).toBe('running');
    expect(await auditEntries(db, { run: run.runId })).toMatchObject([
      { action: 'cancel', principal: { name: 'ann' } },
    ]);
    expect([...(await cancelRequests(db, [run.runId, other.runId]))]).toEqual([[run.runId, ASKED]]);
    expect(await lostRuns(db, { silentMs: 0, limit: 9 })).toContainEqual(
      expect.objectContaining({ runId: run.runId, cancel: ASKED }),
    );
  });

  it('is noted once, also of two in the same instant', async () => {
    const run = await one(begun(db, await queued('twice')));
    await inOneInstant(async (alone) => {
      await requestCancel(alone, run.runId, ANN);
      await requestCancel(alone, run.runId, by('bob'));
    });
    await Promise.all([
      requestCancel(processes.one, run.runId, ANN),
      requestCancel(processes.two, run.runId, by('bob')),
    ]);
    expect(await auditEntries(db, { run: run.runId })).toMatchObject([{ principal: { name: 'ann' } }]);
  });

  it('is noted once where the backfill of the run is stopped in the same instant', async () => {
    const [run] = await queued('in-backfill');
    if (!run) throw new Error('no fixture');
    const range = { fromAt: ago(MINUTE), toAt: ago(0), reprocess: 'none', concurrency: 1, reverse: false } as const;
    const { rows } = await db.pool.query('SELECT task_id FROM run WHERE id = $1', [run.runId]);
    const backfill = await insertBackfill(db, { ...range, taskId: rows[0].task_id, taskName: 'in-backfill', by: ANN });
    await db.pool.query('UPDATE run SET backfill_id = $2 WHERE id = $1', [run.runId, backfill]);
    await inOneInstant(async (alone) => {
      await alone.pool.query('UPDATE run SET cancel_requested_at = now(), cancel_requested_by = $2 WHERE id = $1', [
        run.runId,
        'bob',
      ]);
      expect(await stopBackfill(alone, backfill, ANN)).toBe(1);
    });
    expect(await auditEntries(db, { run: run.runId })).toEqual([]);
    expect(await findRun(db, run.runId)).toMatchObject({ state: 'cancelled', cancelRequestedBy: 'bob' });
  });

  it('reaches a run whose attempt ended before its worker had heard', async () => {
    const run = await one(begun(db, await queued('too-quick')));
    await requestCancel(db, run.runId, ANN);
    const retryAt = ago(-60 * MINUTE);
    await finishRuns(db, [
      finishRequest(run, {
        to: 'retrying',
        reason: 'x',
        retryAt,
        attemptOutcome: 'failed',
        lost: false,
        uncounted: false,
      }),
    ]);
    expect(await finishCancelledRuns(db, await findCancelledRuns(db, 10))).toBe(1);
    expect(await stateOf(db, run.runId)).toBe('cancelled');
    expect(await finishCancelledRuns(db, await findCancelledRuns(db, 10))).toBe(0);
  });

  it('changes nothing of a run that has ended', async () => {
    const run = await one(begun(db, await queued('over')));
    await finishRuns(db, [finishRequest(run)]);
    expect(await requestCancel(db, run.runId, ANN)).toEqual({ kind: 'too_late', state: 'succeeded' });
    expect(await findRun(db, run.runId)).toMatchObject({ cancelRequestedAt: null });
  });

  it('knows only runs of its ledger', async () => {
    expect(await requestCancel(db, '019b0000-0000-7000-8000-000000000001', ANN)).toEqual({ kind: 'not_found' });
    expect(await requestCancel(db, 'nonsense', ANN)).toEqual({ kind: 'not_found' });
    const run = await one(queued('elsewhere'));
    expect(await requestCancel({ ...db, namespace: 'other' }, run.runId, ANN)).toEqual({ kind: 'not_found' });
    expect(await stateOf(db, run.runId)).toBe('queued');
  });

  it('ends a run once, whoever else begins it or wants it cancelled at that moment', async () => {
    const runs = await queued(
      'race',
      Array.from({ length: 20 }, (_, index) => (index + 1) * MINUTE),
    );
    await Promise.all(
      runs.map(async (run, index) => {
        // Each of a key of its own, so that only the cancellation is in the way.
        await db.pool.query('UPDATE run SET key = $2 WHERE id = $1', [run.runId, `race-${index}`]);
        const request = beginRequest({ ...run, key: `race-${index}` });
        const [begin, ...cancels] = await Promise.all([
          one(beginRuns(processes.two, [request])),
          requestCancel(db, run.runId, ANN),
          requestCancel(processes.two, run.runId, ANN),
        ]);
        const kinds = cancels.map((cancel) => cancel.kind);
        if (begin.kind === 'begun') expect(kinds).toEqual(['requested', 'requested']);
        else for (const kind of kinds) expect(['cancelled', 'too_late']).toContain(kind);
        expect(await stateOf(db, run.runId)).toBe(begin.kind === 'begun' ? 'running' : 'cancelled');
      }),
    );
  });
});

describe('a worker that listens', () => {
  let hints = 0;
  let heard: () => void = () => undefined;
  beforeAll(() => {
    const listener = listenForCancel(processes.two, () => {
      hints++;
      heard();
    });
    return () => listener.stop();
  });

  it('is told of the request', async () => {
    await expect.poll(() => hints).toBe(1);
    const run = await one(begun(db, await queued('hint')));
    const told = new Promise<void>((resolve) => {
      heard = resolve;
    });
    await requestCancel(db, run.runId, ANN);
    await told;
  });
});
