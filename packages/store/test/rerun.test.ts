import { newRunId, type Verdict } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  auditEntries,
  type Database,
  findRun,
  finishRuns,
  type RerunOptions,
  requestCancel,
  rerunRun,
  resolveRun,
} from '../src/index.ts';
import {
  ago,
  begun,
  deleteNow,
  finishRequest,
  MINUTE,
  makeTask,
  type QueuedFixture,
  queueRuns,
  SUCCEEDED,
  stateOf,
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

async function rerun(id: string, options: RerunOptions = {}): Promise<string> {
  const result = await rerunRun(db, id, ANN, options);
  if (result.kind !== 'made') throw new Error(`not rerun: ${result.kind}`);
  return result.rerunId;
}

/** Saves another version of a task, as an edit does. */
async function edit(name: string, keyTemplate: string): Promise<void> {
  await db.pool.query('UPDATE task SET version = version + 1, key_template = $2 WHERE name = $1', [name, keyTemplate]);
}

describe('a rerun', () => {
  it.each([FAILED, SUCCEEDED])(
    'of a run that has $to is a new run of the same occurrence, key and payload',
    async (verdict) => {
      const name = `rerun-${verdict.to}`;
      const id = await first(ended(name, verdict));
      await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
      await db.pool.query(`UPDATE run SET payload = '{"day": 7}' WHERE id = $1`, [id]);
      await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
      const [was, is] = [await findRun(db, id), await findRun(db, await rerun(id))];
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
        { principal: { name: 'ann' }, action: 'rerun', reason: 'the disk was full', detail: { rerun: is?.id } },
      ]);
    },
  );

  it('runs the task as it is now under the key it has now; the definition and key of then on request', async () => {
    const id = await first(ended('edited'));
    await edit('edited', 'other-key');
    const then = await rerun(id, { sameVersion: true });
    expect(await findRun(db, then)).toMatchObject({ taskVersion: 1, key: 'edited' });
    await requestCancel(db, then, ANN);
    expect(await findRun(db, await rerun(id))).toMatchObject({ taskVersion: 2, key: 'other-key' });
  });

  it('is refused while an earlier one goes on, and allowed once that has ended', async () => {
    const id = await first(ended('twice'));
    const rerunId = await rerun(id);
    expect(await rerunRun(db, id, ANN)).toEqual({ kind: 'rerunning', rerunId });
    await requestCancel(db, rerunId, ANN);
    expect(await rerun(id)).not.toBe(rerunId);
  });

  it('of many at once makes one run', async () => {
    const id = await first(ended('at-once'));
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => rerunRun(index % 2 ? processes.one : processes.two, id, ANN)),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(['made', ...Array(9).fill('rerunning')]);
  });

  it('is refused for what has not ended, stands for a stretch, or is of a deleted task', async () => {
    const taskId = await makeTask(db, { name: 'refused' });
    const [open] = await queueRuns(db, [{ taskId, key: 'refused', ageMs: MINUTE }]);
    expect(await rerunRun(db, open?.runId ?? '', ANN)).toEqual({ kind: 'open', state: 'queued' });
    await requestCancel(db, open?.runId ?? '', ANN);
    await deleteNow(db, 'refused', ANN);
    expect(await rerunRun(db, open?.runId ?? '', ANN)).toEqual({ kind: 'task_deleted', taskName: 'refused' });
    const id = await first(ended('stretch'));
    await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
    await db.pool.query(`UPDATE run SET state = 'missed', until_at = now(), occurrences = 9 WHERE id = $1`, [id]);
    await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
    expect(await rerunRun(db, id, ANN)).toEqual({ kind: 'stretch', occurrences: 9 });
    expect(await rerunRun(db, 'nonsense', ANN)).toEqual({ kind: 'not_found' });
    expect(await rerunRun({ ...db, namespace: 'other' }, id, ANN)).toEqual({ kind: 'not_found' });
  });
});

describe('a rerun', () => {
  const UNKNOWN = `state = 'unknown', reason = 'x', attempt = 1`;
  const HAS_FAILED = `state = 'failed', reason = 'x', finished_at = now()`;

  async function aRun(name: string, set: string): Promise<QueuedFixture> {
    const taskId = await makeTask(db, { name });
    const [run] = await queueRuns(db, [{ taskId, key: name, ageMs: MINUTE }]);
    if (!run) throw new Error('no fixture');
    await db.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
    return run;
  }

  beforeEach(async () => {
    await db.pool.query('CREATE SEQUENCE tries');
  });
  afterEach(async () => {
    await db.pool.query('DROP FUNCTION IF EXISTS in_the_way CASCADE');
    await db.pool.query('DROP SEQUENCE tries');
  });

  /** What happens to each rerun that is about to be made. */
  async function onRerun(what: string): Promise<void> {
    await db.pool.query(`CREATE FUNCTION in_the_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${what} END $$`);
    await db.pool.query(
      `CREATE TRIGGER in_the_way BEFORE INSERT ON run FOR EACH ROW WHEN (NEW.origin = 'rerun') EXECUTE FUNCTION in_the_way()`,
    );
  }
  const NEVER_MADE = `PERFORM nextval('tries'); RETURN NULL;`;
  const MADE_AT_THE_SECOND = `IF nextval('tries') < 2 THEN RETURN NULL; END IF; RETURN NEW;`;

  async function tries(): Promise<number> {
    const { rows } = await db.pool.query<{ tries: number }>('SELECT last_value::integer AS tries FROM tries');
    return rows[0]?.tries ?? 0;
  }

  it('a rerun that cannot be made at once is tried again', async () => {
    const run = await aRun('second-try', HAS_FAILED);
    await onRerun(MADE_AT_THE_SECOND);
    expect(await rerunRun(db, run.runId, ANN)).toEqual({ kind: 'made', rerunId: expect.any(String) });
    expect(await tries()).toBe(2);
  });

  it('a rerun that cannot be made five times is given up', async () => {
    const run = await aRun('never-made', HAS_FAILED);
    await onRerun(NEVER_MADE);
    await expect(rerunRun(db, run.runId, ANN)).rejects.toMatchObject({ code: 'run_races' });
    expect(await tries()).toBe(5);
  });

  it('a stretch of two occurrences is not run again', async () => {
    const run = await aRun(
      'stretch-of-two',
      `${HAS_FAILED}, occurrences = 2, state = 'missed', until_at = now()`.replace(`state = 'failed', `, ''),
    );
    expect(await rerunRun(db, run.runId, ANN)).toEqual({ kind: 'stretch', occurrences: 2 });
  });

  it('a run of every worker is not run again, one of a single worker is, on that worker', async () => {
    const [every, single] = [
      await aRun('of-every', HAS_FAILED),
      await aRun('of-single', `${HAS_FAILED}, need = '@w-1'`),
    ];
    await db.pool.query(`ALTER TABLE task DISABLE TRIGGER task_is_guarded`);
    await db.pool.query(`UPDATE task SET rules = rules || '{"runOn": "all"}' WHERE name IN ('of-every', 'of-single')`);
    expect(await rerunRun(db, every.runId, ANN)).toEqual({ kind: 'of_every_worker', taskName: 'of-every' });
    const made = await rerunRun(db, single.runId, ANN);
    if (made.kind !== 'made') throw new Error(`not made: ${made.kind}`);
    const { rows } = await db.pool.query('SELECT need FROM run WHERE id = $1', [made.rerunId]);
    expect(rows).toMatchObject([{ need: expect.stringContaining('@w-1') }]);
  });

  it('an open rerun in another namespace is in nobody’s way', async () => {
    const [run, beside] = [await aRun('twin', HAS_FAILED), await aRun('beside', `state = 'queued'`)];
    await db.pool.query(`UPDATE run SET namespace = 'other', rerun_of = $2 WHERE id = $1`, [beside.runId, run.runId]);
    expect(await rerunRun(db, run.runId, ANN)).toMatchObject({ kind: 'made' });
  });

  it('another run of the same instant is not the one that was asked for', async () => {
    const run = await aRun('same-instant', HAS_FAILED);
    expect(await rerunRun(db, newRunId(run.scheduledFor), ANN)).toEqual({ kind: 'not_found' });
  });

  it('a run of unknown outcome is resolved by the present version of its task, under the key it has now', async () => {
    const run = await aRun('edited-since', UNKNOWN);
    await db.pool.query(
      `UPDATE task SET version = version + 1, key_template = 'other-key' WHERE name = 'edited-since'`,
    );
    const result = await resolveRun(db, run.runId, { as: 'rerun', by: ANN });
    if (result.kind !== 'resolved' || !result.rerunId) throw new Error(`not resolved: ${result.kind}`);
    expect(await findRun(db, result.rerunId)).toMatchObject({ taskVersion: 2, key: 'other-key' });
  });

  it('to resolve by a rerun is tried again, and given up after five times', async () => {
    const [second, never] = [await aRun('resolve-second', UNKNOWN), await aRun('resolve-never', UNKNOWN)];
    await onRerun(MADE_AT_THE_SECOND);
    expect(await resolveRun(db, second.runId, { as: 'rerun', by: ANN })).toMatchObject({ kind: 'resolved' });
    await db.pool.query('DROP FUNCTION in_the_way CASCADE');
    await onRerun(NEVER_MADE);
    await db.pool.query('ALTER SEQUENCE tries RESTART');
    const tried = resolveRun(db, never.runId, { as: 'rerun', by: ANN });
    await expect(tried).rejects.toMatchObject({ code: 'run_races' });
    expect(await tries()).toBe(5);
    expect(await stateOf(db, never.runId)).toBe('unknown');
  });

  it('another error of the database is told as it is, at once', async () => {
    const run = await aRun('broken', UNKNOWN);
    await onRerun(`PERFORM nextval('tries'); RAISE EXCEPTION 'disk full' USING ERRCODE = '53100';`);
    await expect(resolveRun(db, run.runId, { as: 'rerun', by: ANN })).rejects.toMatchObject({ code: '53100' });
    expect(await tries()).toBe(1);
  });
});
