import { newRunId } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { findRun, resolveRun, retryRun } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const ANN = by('ann', 'saw it in the bank');
const UNKNOWN = `state = 'unknown', reason = 'x', attempt = 1`;
const FAILED = `state = 'failed', reason = 'x', finished_at = now()`;

async function aRun(name: string, set: string): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  return run;
}

beforeEach(async () => {
  await one.pool.query('CREATE SEQUENCE tries');
});
afterEach(async () => {
  await one.pool.query('DROP FUNCTION IF EXISTS in_the_way CASCADE');
  await one.pool.query('DROP SEQUENCE tries');
});

/** What happens to each re-run that is about to be made. */
async function onRerun(what: string): Promise<void> {
  await one.pool.query(`CREATE FUNCTION in_the_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${what} END $$`);
  await one.pool.query(
    `CREATE TRIGGER in_the_way BEFORE INSERT ON run FOR EACH ROW WHEN (NEW.origin = 'rerun') EXECUTE FUNCTION in_the_way()`,
  );
}
const NEVER_MADE = `PERFORM nextval('tries'); RETURN NULL;`;
const MADE_AT_THE_SECOND = `IF nextval('tries') < 2 THEN RETURN NULL; END IF; RETURN NEW;`;

async function tries(): Promise<number> {
  const { rows } = await one.pool.query<{ tries: number }>('SELECT last_value::integer AS tries FROM tries');
  return rows[0]?.tries ?? 0;
}

it('a re-run that cannot be made at once is tried again', async () => {
  const run = await aRun('second-try', FAILED);
  await onRerun(MADE_AT_THE_SECOND);
  expect(await retryRun(one, run.runId, ANN)).toEqual({ kind: 'made', rerunId: expect.any(String) });
  expect(await tries()).toBe(2);
});

it('a re-run that cannot be made five times is given up', async () => {
  const run = await aRun('never-made', FAILED);
  await onRerun(NEVER_MADE);
  await expect(retryRun(one, run.runId, ANN)).rejects.toMatchObject({ code: 'run_races' });
  expect(await tries()).toBe(5);
});

it('a stretch of two occurrences is not run again', async () => {
  const run = await aRun(
    'stretch',
    `${FAILED}, occurrences = 2, state = 'missed', until_at = now()`.replace(`state = 'failed', `, ''),
  );
  expect(await retryRun(one, run.runId, ANN)).toEqual({ kind: 'stretch', occurrences: 2 });
});

it('a run of every worker is not run again, one of a single worker is, on that worker', async () => {
  const [every, single] = [await aRun('of-every', FAILED), await aRun('of-single', `${FAILED}, need = '@w-1'`)];
  await one.pool.query(`ALTER TABLE task DISABLE TRIGGER task_is_guarded`);
  await one.pool.query(`UPDATE task SET rules = rules || '{"spread": "all"}' WHERE name IN ('of-every', 'of-single')`);
  expect(await retryRun(one, every.runId, ANN)).toEqual({ kind: 'of_every_worker', taskName: 'of-every' });
  const made = await retryRun(one, single.runId, ANN);
  if (made.kind !== 'made') throw new Error(`not made: ${made.kind}`);
  const { rows } = await one.pool.query('SELECT need FROM run WHERE id = $1', [made.rerunId]);
  expect(rows).toMatchObject([{ need: expect.stringContaining('@w-1') }]);
});

it('an open re-run in another namespace is in nobody’s way', async () => {
  const [run, beside] = [await aRun('twin', FAILED), await aRun('beside', `state = 'queued'`)];
  await one.pool.query(`UPDATE run SET namespace = 'other', rerun_of = $2 WHERE id = $1`, [beside.runId, run.runId]);
  expect(await retryRun(one, run.runId, ANN)).toMatchObject({ kind: 'made' });
});

it('another run of the same instant is not the one that was asked for', async () => {
  const run = await aRun('same-instant', FAILED);
  expect(await retryRun(one, newRunId(run.scheduledFor), ANN)).toEqual({ kind: 'not_found' });
});

it('a run of unknown outcome is resolved by the present version of its task, under the key it has now', async () => {
  const run = await aRun('edited', UNKNOWN);
  await one.pool.query(`UPDATE task SET version = version + 1, key_template = 'other-key' WHERE name = 'edited'`);
  const result = await resolveRun(one, run.runId, { as: 'rerun', by: ANN });
  if (result.kind !== 'resolved' || !result.rerunId) throw new Error(`not resolved: ${result.kind}`);
  expect(await findRun(one, result.rerunId)).toMatchObject({ taskVersion: 2, key: 'other-key' });
});

it('to resolve by a re-run is tried again, and given up after five times', async () => {
  const [second, never] = [await aRun('resolve-second', UNKNOWN), await aRun('resolve-never', UNKNOWN)];
  await onRerun(MADE_AT_THE_SECOND);
  expect(await resolveRun(one, second.runId, { as: 'rerun', by: ANN })).toMatchObject({ kind: 'resolved' });
  await one.pool.query('DROP FUNCTION in_the_way CASCADE');
  await onRerun(NEVER_MADE);
  await one.pool.query('ALTER SEQUENCE tries RESTART');
  const tried = resolveRun(one, never.runId, { as: 'rerun', by: ANN });
  await expect(tried).rejects.toMatchObject({ code: 'run_races' });
  expect(await tries()).toBe(5);
  expect(await stateOf(one, never.runId)).toBe('unknown');
});

it('another error of the database is told as it is, at once', async () => {
  const run = await aRun('broken', UNKNOWN);
  await onRerun(`PERFORM nextval('tries'); RAISE EXCEPTION 'disk full' USING ERRCODE = '53100';`);
  await expect(resolveRun(one, run.runId, { as: 'rerun', by: ANN })).rejects.toMatchObject({ code: '53100' });
  expect(await tries()).toBe(1);
});
