import { actionOf, HOUR } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { auditEntries, findRun, listHeldRuns, readAuditLog, readRequest } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { askBulk, bulkState, haltBulk } from '../src/index.ts';
import { ago, runsOfTask } from './runs-of-task.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'the disk was full');
const NOTHING = { dropped: 0, passed: 0, refusedCount: 0, refused: [] };

const many = Array.from({ length: 250 }, (_, index) => HOUR - index);
const statesOf = async (ids: readonly string[]) =>
  await Promise.all(ids.map(async (id) => (await findRun(db, id))?.state));
const count = async (ids: readonly string[], state: string) =>
  (await statesOf(ids)).filter((each) => each === state).length;

async function statusOf(id: string) {
  const request = await readRequest(db, id);
  if (!request) throw new Error('it is gone');
  return bulkState(request, ago(0));
}

async function passes(times: number): Promise<void> {
  for (let pass = 0; pass < times; pass++) await fleet.requests.runOnce();
}

/** As if so much time had passed since the last chunk was chosen. */
async function putBack(id: string, ms: number): Promise<void> {
  const text = `UPDATE request SET progress = jsonb_set(progress, '{nextDueAt}',
    to_jsonb(to_char(((progress->>'nextDueAt')::timestamptz - $2 * interval '1 ms') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) WHERE id = $1`;
  await db.pool.query(text, [id, ms]);
}

test('an act that is cancelled ends behind what was chosen, and says how much of it was done', async () => {
  const ids = await runsOfTask(fleet, { name: 'stopped', state: 'failed', agesMs: many });
  const id = await askBulk(db, { action: 'redrive', task: 'stopped' }, ANN);
  await passes(1);
  await haltBulk(db, id, 'cancelled', by('bea', 'enough'));
  await passes(3);
  expect(await statusOf(id)).toEqual({
    state: 'done',
    result: { ...NOTHING, total: 250, done: 100, cancelled: true },
  });
  const { rows } = await db.pool.query('SELECT 1 FROM run WHERE rerun_of = ANY ($1)', [ids]);
  expect(rows).toHaveLength(100);
  expect(await auditEntries(db, { request: id })).toMatchObject([
    { action: 'cancel', principal: { name: 'bea' }, reason: 'enough' },
    { action: 'ask', principal: { name: 'ann' } },
  ]);
  await expect(haltBulk(db, id, null, ANN)).rejects.toMatchObject({ code: 'request_ended' });
});

test('an act that was cancelled before it began does nothing', async () => {
  const ids = await runsOfTask(fleet, { name: 'unbegun', state: 'held', agesMs: [2 * HOUR, HOUR] });
  const id = await askBulk(db, { action: 'drop_held', task: 'unbegun' }, ANN);
  await haltBulk(db, id, 'cancelled', ANN);
  await expect(haltBulk(db, id, 'paused', ANN)).rejects.toMatchObject({ code: 'request_ended' });
  await passes(2);
  expect(await statusOf(id)).toMatchObject({ state: 'done', result: { done: 0, cancelled: true } });
  expect(await statesOf(ids)).toEqual(['held', 'held']);
});

test('a paused act waits until somebody goes on with it, also past the hour in which it had to begin', async () => {
  const ids = await runsOfTask(fleet, { name: 'paused', state: 'held', agesMs: [2 * HOUR, HOUR] });
  const id = await askBulk(db, { action: 'drop_held', task: 'paused' }, ANN);
  await haltBulk(db, id, 'paused', ANN);
  await db.pool.query(
    `UPDATE request SET asked_at = asked_at - interval '2 h', expires_at = expires_at - interval '2 h' WHERE id = $1`,
    [id],
  );
  await passes(2);
  expect([await statusOf(id), await statesOf(ids)]).toEqual([{ state: 'paused', progress: null }, ['held', 'held']]);
  await haltBulk(db, id, null, ANN);
  await passes(3);
  expect([await statusOf(id), await statesOf(ids)]).toMatchObject([{ state: 'done' }, ['missed', 'missed']]);
});

test('held runs that go on at a rate are let go a minute before they are due, and a pause is not made up for', async () => {
  const ids = await runsOfTask(fleet, { name: 'drained', state: 'held', agesMs: many.slice(0, 10) });
  const id = await askBulk(db, { action: 'run_held', task: 'drained', spacingMs: 20_000 }, ANN);
  await passes(3);
  // Due now and after 20, 40 and 60 s.
  const first = await count(ids, 'planned');
  expect([3, 4]).toContain(first);
  expect(await statusOf(id)).toMatchObject({ state: 'running', progress: { total: 10, done: first } });
  await haltBulk(db, id, 'paused', ANN);
  await putBack(id, 5 * 60_000);
  await passes(2);
  expect(await count(ids, 'planned')).toBe(first);
  await haltBulk(db, id, null, ANN);
  await passes(3);
  const second = await count(ids, 'planned');
  expect([first + 3, first + 4]).toContain(second);
  const dueAt = await Promise.all(
    ids.slice(first, second).map(async (each) => (await findRun(db, each))?.dueAt.getTime() ?? 0),
  );
  expect(dueAt.slice(1).map((at, index) => at - (dueAt[index] ?? 0))).toEqual(dueAt.slice(1).map(() => 20_000));
  await haltBulk(db, id, 'cancelled', ANN);
  await passes(2);
  expect(await statusOf(id)).toMatchObject({ state: 'done', result: { done: second, cancelled: true } });
});

test('held runs that go on later wait until a minute before, also those that go on all at once', async () => {
  const ids = await runsOfTask(fleet, { name: 'later', state: 'held', agesMs: [2 * HOUR, HOUR] });
  const soon = new Date(ago(0).getTime() + 30_000);
  const later = await askBulk(
    db,
    { action: 'run_held', task: 'later', fromAt: new Date(ago(0).getTime() + HOUR) },
    ANN,
  );
  await passes(3);
  expect([await statusOf(later), await statesOf(ids)]).toMatchObject([{ state: 'running' }, ['held', 'held']]);
  await haltBulk(db, later, 'cancelled', ANN);
  await askBulk(db, { action: 'run_held', task: 'later', fromAt: soon }, ANN);
  await passes(4);
  expect(await statesOf(ids)).toEqual(['planned', 'planned']);
  expect((await findRun(db, ids[1] ?? ''))?.dueAt).toEqual(soon);
});

test('of held runs some are run, some dropped, and the others wait', async () => {
  const ids = await runsOfTask(fleet, {
    name: 'chosen',
    state: 'held',
    agesMs: [4, 3, 2, 1].map((hours) => hours * HOUR),
  });
  const [run = '', drop = '', , newest = ''] = ids;
  const rows = await listHeldRuns(db, { task: 'chosen', limit: 3 });
  expect(rows.map((row) => [row.id, row.newest])).toEqual(ids.slice(0, 3).map((each) => [each, false]));
  expect(await listHeldRuns(db, { task: 'chosen', after: rows.at(-1), limit: 3 })).toMatchObject([
    { id: newest, newest: true, task: 'chosen', key: 'chosen', priority: 0, reason: 'a reason' },
  ]);
  const asked = await askBulk(db, { action: 'run_held', runs: [run] }, ANN);
  await askBulk(db, { action: 'drop_held', runs: [drop] }, ANN);
  await passes(4);
  expect(await statesOf(ids)).toEqual(['planned', 'missed', 'held', 'held']);
  // What was done to which run, by the request.
  expect(await readAuditLog(db, { requestId: asked, limit: 9 })).toMatchObject([
    { action: 'recovery run', subject: `run:${run}` },
  ]);
});

test('the right is asked for each task of an act, and for those of the runs that are chosen', async () => {
  await fleet.save({ name: 'shop-held', labels: { team: 'shop' } });
  const ids = await runsOfTask(fleet, { name: 'mail-held', state: 'held', agesMs: [HOUR] });
  const grants = [
    { role: 'operator', rights: [], namespace: 'default', selector: parseSelector('team=shop') },
  ] as const;
  const who = { ...actionOf({ kind: 'token', id: 'x', name: 'shop-only', address: null }), grants };
  await expect(askBulk(db, { action: 'run_held', runs: ids }, who)).rejects.toMatchObject({ code: 'not_allowed' });
  const others = await askBulk(db, { action: 'run_held', runs: ids }, ANN);
  await expect(haltBulk(db, others, 'cancelled', who)).rejects.toThrow('mail-held');
  const own = await askBulk(db, { action: 'run_held', task: 'shop-held' }, who);
  await haltBulk(db, own, 'cancelled', who);
  await expect(
    askBulk(db, { action: 'drop_held', runs: ['01890000-0000-7000-8000-000000000000'] }, ANN),
  ).rejects.toMatchObject({
    code: 'nothing_selected',
    message: 'no task has any of these runs',
  });
});
