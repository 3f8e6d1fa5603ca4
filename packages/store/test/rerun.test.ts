import type { Verdict } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import {
  auditEntries,
  type Database,
  findRun,
  finishRuns,
  type RetryOptions,
  requestCancel,
  retryRun,
} from '../src/index.ts';
import {
  ago,
  begun,
  deleteNow,
  finishRequest,
  MINUTE,
  makeTask,
  queueRuns,
  SUCCEEDED,
  twoProcesses,
} from './ledger.ts';

const processes = await twoProcesses();
const db: Database = processes.one;
afterAll(() => processes.close());

const ANN = by('ann', 'the disk was full');
const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false };

/** One ended run of a new task for each age, the oldest first. */
async function ended(name: string, verdict = FAILED, ages: readonly number[] = [MINUTE]): Promise<string[]> {
  const taskId = await makeTask(db, { name });
  const queued = await queueRuns(
    db,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
  for (const each of queued) {
    const [run] = await begun(db, [each]);
    if (run) await finishRuns(db, [finishRequest(run, verdict)]);
  }
  return queued.map(({ runId }) => runId);
}

async function first(ids: Promise<string[]>): Promise<string> {
  const [id] = await ids;
  if (id === undefined) throw new Error('no fixture');
  return id;
}

async function retried(id: string, options: RetryOptions = {}): Promise<string> {
  const result = await retryRun(db, id, ANN, options);
  if (result.kind !== 'made') throw new Error(`not re-run: ${result.kind}`);
  return result.rerunId;
}

/** Saves another version of a task, as an edit does. */
async function edit(name: string, keyTemplate: string): Promise<void> {
  await db.pool.query('UPDATE task SET version = version + 1, key_template = $2 WHERE name = $1', [name, keyTemplate]);
}

describe('a retry', () => {
  it.each([FAILED, SUCCEEDED])(
    'of a run that has $to is a new run of the same occurrence, key and payload',
    async (verdict) => {
      const name = `retry-${verdict.to}`;
      const id = await first(ended(name, verdict));
      await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
      await db.pool.query(`UPDATE run SET payload = '{"day": 7}' WHERE id = $1`, [id]);
      await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
      const [was, is] = [await findRun(db, id), await findRun(db, await retried(id))];
      expect(is).toMatchObject({
        state: 'planned',
        origin: 'rerun',
        rerunOf: id,
        taskName: name,
        key: name,
        payload: { day: 7 },
        scheduledFor: was?.scheduledFor,
        requestedBy: 'ann',
        attempt: 0,
      });
      expect(is?.dueAt.getTime()).toBeGreaterThan(ago(MINUTE).getTime());
      expect(was).toMatchObject({ state: verdict.to });
      expect(await auditEntries(db, { run: id })).toMatchObject([
        { principal: { name: 'ann' }, action: 'retry', reason: 'the disk was full', detail: { rerun: is?.id } },
      ]);
    },
  );

  it('runs the task as it is now under the key it has now; the definition and key of then on request', async () => {
    const id = await first(ended('edited'));
    await edit('edited', 'other-key');
    const then = await retried(id, { sameVersion: true });
    expect(await findRun(db, then)).toMatchObject({ taskVersion: 1, key: 'edited' });
    await requestCancel(db, then, ANN);
    expect(await findRun(db, await retried(id))).toMatchObject({ taskVersion: 2, key: 'other-key' });
  });

  it('is refused while an earlier one goes on, and allowed once that has ended', async () => {
    const id = await first(ended('twice'));
    const rerunId = await retried(id);
    expect(await retryRun(db, id, ANN)).toEqual({ kind: 'rerunning', rerunId });
    await requestCancel(db, rerunId, ANN);
    expect(await retried(id)).not.toBe(rerunId);
  });

  it('of many at once makes one run', async () => {
    const id = await first(ended('at-once'));
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => retryRun(index % 2 ? processes.one : processes.two, id, ANN)),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(['made', ...Array(9).fill('rerunning')]);
  });

  it('is refused for what has not ended, stands for a stretch, or is of a deleted task', async () => {
    const taskId = await makeTask(db, { name: 'refused' });
    const [open] = await queueRuns(db, [{ taskId, key: 'refused', ageMs: MINUTE }]);
    expect(await retryRun(db, open?.runId ?? '', ANN)).toEqual({ kind: 'open', state: 'queued' });
    await requestCancel(db, open?.runId ?? '', ANN);
    await deleteNow(db, 'refused', ANN);
    expect(await retryRun(db, open?.runId ?? '', ANN)).toEqual({ kind: 'task_deleted', taskName: 'refused' });
    const id = await first(ended('stretch'));
    await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
    await db.pool.query(`UPDATE run SET state = 'missed', until_at = now(), occurrences = 9 WHERE id = $1`, [id]);
    await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
    expect(await retryRun(db, id, ANN)).toEqual({ kind: 'stretch', occurrences: 9 });
    expect(await retryRun(db, 'nonsense', ANN)).toEqual({ kind: 'not_found' });
    expect(await retryRun({ ...db, namespace: 'other' }, id, ANN)).toEqual({ kind: 'not_found' });
  });
});
