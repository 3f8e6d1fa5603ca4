import { randomUUID } from 'node:crypto';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { toActing } from '../src/audit-row.ts';
import {
  auditEntries,
  type Database,
  findRun,
  finishRuns,
  type ResolveRequest,
  requestCancel,
  resolveRun,
} from '../src/index.ts';
import { begun, deleteNow, finishRequest, MINUTE, makeTask, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const db: Database = processes.one;
afterAll(() => processes.close());

const error = { name: 'Error', message: 'boom' };
const ann = (as: ResolveRequest['as']): ResolveRequest => ({ as, by: by('ann', 'saw it in the bank') });

/** A run of which nobody knows whether it did its work. */
async function unknownRun(name: string): Promise<string> {
  const taskId = await makeTask(db, { name });
  const [run] = await begun(db, await queueRuns(db, [{ taskId, key: name, ageMs: MINUTE }]));
  if (!run) throw new Error('no fixture');
  const verdict = {
    to: 'unknown',
    reason: 'lost its worker',
    lost: true,
    uncounted: true,
    error,
    exitCode: 7,
  } as const;
  expect(await finishRuns(db, [finishRequest(run, verdict)])).toEqual(['applied']);
  return run.runId;
}

it.each(['succeeded', 'failed'] as const)('ends as %s with who said so and how they know', async (as) => {
  const id = await unknownRun(`as-${as}`);
  expect(await resolveRun(db, id, ann(as))).toEqual({ kind: 'resolved', rerunId: null });
  expect(await findRun(db, id)).toMatchObject({
    state: as,
    reason: `resolved as ${as} by ann: saw it in the bank`,
    finishedAt: expect.any(Date),
    error,
    exitCode: 7,
  });
  expect(await auditEntries(db, { run: id })).toMatchObject([
    { action: 'resolve', principal: { name: 'ann' }, reason: 'saw it in the bank', detail: { as } },
  ]);
});

it('ends as failed by a rerun, which it names, in one step', async () => {
  const id = await unknownRun('as-rerun');
  const result = await resolveRun(db, id, ann('rerun'));
  if (result.kind !== 'resolved' || result.rerunId === null) throw new Error(`not resolved: ${result.kind}`);
  expect(await findRun(db, id)).toMatchObject({
    state: 'failed',
    reason: `resolved by rerun ${result.rerunId} by ann: saw it in the bank`,
  });
  expect(await findRun(db, result.rerunId)).toMatchObject({ state: 'planned', origin: 'rerun', rerunOf: id });
});

it('is resolved once, whoever else tries at that moment', async () => {
  const id = await unknownRun('race');
  const results = await Promise.all(
    (['succeeded', 'rerun', 'failed', 'rerun'] as const).map((as, index) =>
      resolveRun(index % 2 ? processes.one : processes.two, id, ann(as)),
    ),
  );
  expect(results.filter(({ kind }) => kind === 'resolved')).toHaveLength(1);
  expect(results.filter(({ kind }) => kind === 'not_unknown')).toHaveLength(3);
  const { rows } = await db.pool.query('SELECT id FROM run WHERE rerun_of = $1', [id]);
  expect(rows.length).toBe((await findRun(db, id))?.reason?.includes('rerun') ? 1 : 0);
});

it('stays unknown where its task was deleted and it is to be rerun', async () => {
  const id = await unknownRun('deleted');
  await deleteNow(db, 'deleted', by('ann'));
  expect(await resolveRun(db, id, ann('rerun'))).toEqual({ kind: 'task_deleted', taskName: 'deleted' });
  expect(await stateOf(db, id)).toBe('unknown');
  expect(await resolveRun(db, id, ann('failed'))).toMatchObject({ kind: 'resolved' });
});

it('undoes the end of the run where the rerun cannot be made after all', async () => {
  const id = await unknownRun('edited');
  const run = await findRun(db, id);
  const values = [db.namespace, id, run?.scheduledFor.toISOString(), randomUUID(), randomUUID(), toActing(by('ann'))];
  await expect(
    db.pool.query(`SELECT resolve_run($1, $2, $3, 1, 1, $4, 'failed', 'x', 'rerun', $6, $5, 99, 'k')`, values),
  ).rejects.toMatchObject({ code: 'ES001' });
  expect(await stateOf(db, id)).toBe('unknown');
  expect(await auditEntries(db, { run: id })).toEqual([]);
});

it('is refused for a run whose fate is known, and cancelling an unknown one too', async () => {
  const id = await unknownRun('known');
  expect(await requestCancel(db, id, by('ann'))).toEqual({ kind: 'too_late', state: 'unknown' });
  await resolveRun(db, id, ann('succeeded'));
  expect(await resolveRun(db, id, ann('failed'))).toEqual({ kind: 'not_unknown', state: 'succeeded' });
  expect(await resolveRun(db, 'nonsense', ann('failed'))).toEqual({ kind: 'not_found' });
  expect(await resolveRun({ ...db, namespace: 'other' }, id, ann('failed'))).toEqual({ kind: 'not_found' });
});

it('keeps the output of its last attempt, and what else happened at the same instant stays unknown', async () => {
  const [id, neighbour] = [await unknownRun('output'), await unknownRun('neighbour')];
  await db.pool.query('UPDATE run SET output = $2 WHERE id = $1', [id, '{"sent": 3}']);
  await db.pool.query('UPDATE run SET scheduled_for = r.scheduled_for FROM run r WHERE run.id = $2 AND r.id = $1', [
    ...[id, neighbour],
  ]);
  expect(await resolveRun(db, id, ann('succeeded'))).toMatchObject({ kind: 'resolved' });
  const { rows } = await db.pool.query('SELECT output FROM run WHERE id = $1', [id]);
  expect(rows).toEqual([{ output: { sent: 3 } }]);
  expect(await stateOf(db, neighbour)).toBe('unknown');
});
