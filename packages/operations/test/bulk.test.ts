import { actionOf, HOUR, MINUTE, newRunId, type RunState, systemClock } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import {
  auditEntries,
  findRun,
  findTask,
  listRequests,
  pausedTasks,
  pingDatabase,
  readAuditLog,
  readRequest,
} from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import {
  askBulk,
  type BulkAsked,
  bulkState,
  cancelRun,
  filterOfQuery,
  pauseTask,
  previewBulk,
  rerunRun,
  saveTask,
  triggerTask,
} from '../src/index.ts';
import { ago, runsOfTask } from './runs-of-task.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'the disk was full');
const runsOf = (name: string, state: RunState, agesMs: readonly number[]) => runsOfTask(fleet, { name, state, agesMs });

/** The answer to a bulk action, after as many passes of a scheduler as it takes. */
async function carriedOut(asked: BulkAsked, who = ANN) {
  const id = await askBulk(db, asked, who);
  for (let pass = 0; pass < 50; pass++) {
    await fleet.requests.runOnce();
    const request = await readRequest(db, id);
    if (request?.result) return 'error' in request.result ? request.result.error : request.result.answer;
  }
  throw new Error('it has no end');
}

const statesOf = async (ids: readonly string[]) =>
  await Promise.all(ids.map(async (id) => (await findRun(db, id))?.state));
const NOTHING = { dropped: 0, passed: 0, refusedCount: 0, refused: [] };

test('all runs of a selection are cancelled, with who and why, and no others', async () => {
  const ids = await runsOf('cancels', 'planned', [3 * HOUR, 2 * HOUR, HOUR, 5 * MINUTE]);
  const [other] = await runsOf('stays', 'planned', [2 * HOUR]);
  const asked = { action: 'cancel', task: 'cancels', since: ago(150 * MINUTE), until: ago(10 * MINUTE) } as const;
  expect(await previewBulk(db, asked)).toMatchObject({ total: 2, dropped: 0, first: [{ id: ids[1] }, { id: ids[2] }] });
  expect(await statesOf(ids)).toEqual(['planned', 'planned', 'planned', 'planned']);
  expect(await carriedOut(asked)).toEqual({ ...NOTHING, total: 2, done: 2 });
  expect(await statesOf([...ids, other ?? ''])).toEqual(['planned', 'cancelled', 'cancelled', 'planned', 'planned']);
  expect(await auditEntries(db, { run: ids[1] ?? '' })).toMatchObject([
    { action: 'cancel', principal: { name: 'ann' }, reason: 'the disk was full' },
  ]);
  expect(await carriedOut({ action: 'cancel', task: 'cancels', limit: 1 })).toEqual({ ...NOTHING, total: 1, done: 1 });
  expect(await statesOf(ids)).toEqual(['cancelled', 'cancelled', 'cancelled', 'planned']);
});

test('many runs take many chunks, and each is done once', async () => {
  const ids = await runsOf(
    'many',
    'failed',
    Array.from({ length: 250 }, (_, index) => HOUR - index),
  );
  expect(await carriedOut({ action: 'redrive', task: 'many' })).toEqual({ ...NOTHING, total: 250, done: 250 });
  const { rows } = await db.pool.query('SELECT rerun_of FROM run WHERE rerun_of = ANY ($1) ORDER BY rerun_of', [ids]);
  expect(rows.map(({ rerun_of }) => rerun_of)).toEqual([...ids].sort());
  expect(await carriedOut({ action: 'redrive', task: 'many' })).toEqual({ ...NOTHING, total: 0, done: 0 });
});

test('a redrive leaves out what succeeded or was run again; a retry takes it, but not what is being rerun', async () => {
  const [first, second] = await runsOf('again', 'failed', [3 * HOUR, 2 * HOUR]);
  await runsOf('good', 'succeeded', [HOUR]);
  const { rerunId } = await rerunRun(db, first ?? '', ANN);
  expect(await carriedOut({ action: 'redrive', task: 'good' })).toMatchObject({ total: 0 });
  expect(await carriedOut({ action: 'redrive', task: 'again', states: ['timed_out'] })).toMatchObject({ total: 0 });
  expect(await carriedOut({ action: 'redrive', task: 'again' })).toEqual({ ...NOTHING, total: 1, done: 1 });
  expect(await auditEntries(db, { run: second ?? '' })).toMatchObject([
    { action: 'redrive', principal: { name: 'ann' } },
  ]);
  // Both are being rerun.
  expect(await carriedOut({ action: 'rerun', task: 'again' })).toEqual({ ...NOTHING, total: 2, done: 0, passed: 2 });
  await cancelRun(db, rerunId, ANN);
  const again = await carriedOut({ action: 'rerun', task: 'again', states: ['failed'] });
  expect(again).toEqual({ ...NOTHING, total: 2, done: 1, passed: 1 });
  expect(await carriedOut({ action: 'rerun', task: 'good' })).toEqual({ ...NOTHING, total: 1, done: 1 });
});

test('what does not fit its task any more is named, the others are run again', async () => {
  await runsOf('fits', 'failed', [HOUR]);
  const [misfit] = await runsOf('misfits', 'failed', [HOUR]);
  await saveTask(
    db,
    { name: 'misfits', key: '{{payload.day}}', handler: { type: 'shell', command: 'true' } },
    { source: 'test', by: ANN },
  );
  const asked = { action: 'redrive', since: ago(61 * MINUTE), until: ago(59 * MINUTE) } as const;
  expect(await carriedOut(asked)).toMatchObject({
    done: 1,
    passed: 0,
    refusedCount: 1,
    refused: [{ runId: misfit, taskName: 'misfits', why: expect.stringContaining('payload.day') }],
  });
});

test('held runs go on at their rate, or the newest alone, or are dropped', async () => {
  const paced = await runsOf('paced', 'held', [3 * HOUR, 2 * HOUR, HOUR]);
  expect(await previewBulk(db, { action: 'run_held', task: 'paced', latestOnly: true })).toMatchObject({
    total: 1,
    dropped: 2,
    first: [{ id: paced[2] }],
  });
  const released = await carriedOut({ action: 'run_held', task: 'paced', spacingMs: 30_000 });
  expect(released).toEqual({ ...NOTHING, total: 3, done: 3 });
  const dueAt = await Promise.all(paced.map(async (id) => (await findRun(db, id))?.dueAt.getTime() ?? 0));
  expect(dueAt.slice(1).map((at, index) => at - (dueAt[index] ?? 0))).toEqual([30_000, 30_000]);

  const newest = await runsOf('newest', 'held', [3 * HOUR, 2 * HOUR, HOUR]);
  const one = await carriedOut({ action: 'run_held', task: 'newest', latestOnly: true }, by('ann'));
  expect(one).toEqual({ ...NOTHING, total: 3, done: 1, dropped: 2 });
  expect(await statesOf(newest)).toEqual(['missed', 'missed', 'planned']);
  expect((await findRun(db, newest[0] ?? ''))?.reason).toBe('dropped by ann: only the newest misfired one is run');

  const others = [await runsOf('held-one', 'held', [HOUR]), await runsOf('held-two', 'held', [2 * HOUR, HOUR])];
  const left = await runsOf('held-three', 'held', [HOUR]);
  const ofTwo = await carriedOut({ action: 'run_held', names: ['held-one', 'held-two'] });
  expect(ofTwo).toEqual({ ...NOTHING, total: 3, done: 3 });
  expect(await statesOf(others.flat())).toEqual(['planned', 'planned', 'planned']);
  expect(await statesOf(left)).toEqual(['held']);

  const dropped = await runsOf('dropped', 'held', [2 * HOUR, HOUR]);
  expect(await carriedOut({ action: 'drop_held', task: 'dropped', latestOnly: true })).toMatchObject({ done: 1 });
  expect(await statesOf(dropped)).toEqual(['held', 'missed']);
});

test('an act goes on where a scheduler has left it, with the runs that were chosen', async () => {
  const ids = await runsOf('taken-over', 'held', [3 * HOUR, 2 * HOUR, HOUR]);
  const id = await askBulk(db, { action: 'drop_held', task: 'taken-over', latestOnly: true }, ANN);
  // It had chosen the newest, dropped it, and died: the one before is the newest now.
  const kept = {
    ...{ total: 1, done: 0, dropped: 0, passed: 0, refusedCount: 0, refused: [], begunAt: ago(0).toISOString() },
    ...{ step: 0, after: { id: ids[2], priority: 0 }, chosen: 1, chunk: [{ id: ids[2] }] },
  };
  await db.pool.query(`UPDATE run SET state = 'missed', finished_at = now() WHERE id = $1`, [ids[2]]);
  const age = `UPDATE request SET taken_by = 'dead', taken_at = now() - $2 * interval '1 s', progress = $3 WHERE id = $1`;
  await db.pool.query(age, [id, 5, kept]);
  await fleet.requests.runOnce();
  expect(await readRequest(db, id)).toMatchObject({ takenBy: 'dead', result: null });
  await db.pool.query(age, [id, 20, kept]);
  for (let pass = 0; pass < 2; pass++) await fleet.requests.runOnce();
  expect((await readRequest(db, id))?.result).toEqual({ answer: { ...NOTHING, total: 1, done: 1 } });
  expect(await statesOf(ids)).toEqual(['held', 'held', 'missed']);
});

test('an act is refused that cannot be, and one that nobody began in time is not begun any more', async () => {
  const code = async (asked: BulkAsked) =>
    await askBulk(db, asked, ANN).then(
      () => 'asked',
      (error) => error.code,
    );
  expect(await code({ action: 'cancel', task: 'nobody' })).toBe('unknown_task');
  expect(await code({ action: 'cancel', states: ['failed'] })).toBe('bad_states');
  expect(await code({ action: 'redrive', states: ['succeeded'] })).toBe('bad_states');
  const [late] = await runsOf('late', 'planned', [HOUR]);
  const id = await askBulk(db, { action: 'cancel', task: 'late' }, ANN);
  await db.pool.query("UPDATE request SET expires_at = now() - interval '1 ms' WHERE id = $1", [id]);
  await fleet.requests.runOnce();
  const request = (await listRequests(db, 100)).find((each) => each.id === id);
  const { now } = await pingDatabase(db);
  expect(request && bulkState(request, now)).toMatchObject({
    state: 'failed',
    error: { code: 'no_scheduler_answers' },
  });
  expect(await statesOf([late ?? ''])).toEqual(['planned']);
});

test('what others ask for at the same time is not held up by a bulk action', async () => {
  await runsOf(
    'crowd',
    'planned',
    Array.from({ length: 150 }, (_, index) => HOUR + index),
  );
  const asking = await askBulk(db, { action: 'cancel', task: 'crowd' }, ANN);
  await fleet.requests.runOnce();
  const half = await readRequest(db, asking);
  expect(half).toMatchObject({ takenBy: null, result: null, progress: { total: 150, done: 100 } });
  await pauseTask(db, 'crowd', null, ANN);
  await triggerTask(db, 'crowd', { by: ANN });
  for (let pass = 0; pass < 3; pass++) await fleet.requests.runOnce();
  // What was asked for after the act is none of its runs.
  expect((await readRequest(db, asking))?.result).toEqual({ answer: { ...NOTHING, total: 150, done: 150 } });
});

const TEAMS = { 'shop-a': 'shop', 'shop-b': 'shop', 'mail-a': 'mail' } as const;
for (const [name, team] of Object.entries(TEAMS)) await fleet.save({ name, labels: { team } });
await fleet.save({ name: 'shop-keyed', labels: { team: 'shop' }, key: 'k:{{payload.day}}' });
const shop = parseSelector('team=shop');

test('the tasks that labels select are paused, triggered and resumed, and no others', async () => {
  const SHOP = ['shop-a', 'shop-b', 'shop-keyed'];
  const until = new Date(systemClock.now().getTime() + HOUR);
  expect(await previewBulk(db, { action: 'pause', labels: shop, untilAt: until })).toMatchObject({
    total: 3,
    firstTasks: SHOP,
  });
  const paused = await carriedOut({ action: 'pause', labels: shop, untilAt: until });
  expect(paused).toEqual({ ...NOTHING, total: 3, done: 3 });
  expect([...(await pausedTasks(db, Object.keys(TEAMS)))].sort()).toEqual(['shop-a', 'shop-b']);
  expect((await findTask(db, 'shop-a'))?.pauses).toMatchObject([{ note: 'the disk was full', untilAt: until }]);
  expect(await carriedOut({ action: 'trigger', labels: shop })).toEqual({
    ...{ ...NOTHING, total: 3, done: 2, refusedCount: 1 },
    refused: [{ runId: null, taskName: 'shop-keyed', why: expect.stringContaining('payload.day') }],
  });
  const { rows } = await db.pool.query(
    `SELECT t.name FROM run r JOIN task t ON t.id = r.task_id WHERE t.name LIKE 'shop-%' OR t.name = 'mail-a' ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['shop-a', 'shop-b']);
  await pauseTask(db, 'mail-a', null, ANN);
  expect(await previewBulk(db, { action: 'resume', labels: shop })).toMatchObject({ total: 3 });
  expect(await carriedOut({ action: 'resume', labels: shop })).toEqual({ ...NOTHING, total: 3, done: 3 });
  expect([...(await pausedTasks(db, Object.keys(TEAMS)))]).toEqual(['mail-a']);
  expect(await carriedOut({ action: 'resume', labels: shop })).toEqual({ ...NOTHING, total: 0, done: 0 });
  expect(await carriedOut({ action: 'cancel', labels: shop })).toEqual({ ...NOTHING, total: 2, done: 2 });
});

test('a pause of many tasks whose end has passed when a scheduler comes to it pauses none', async () => {
  const id = await askBulk(
    db,
    { action: 'pause', labels: shop, untilAt: new Date(systemClock.now().getTime() + HOUR) },
    ANN,
  );
  await db.pool.query(
    `UPDATE request SET request = jsonb_set(request, '{untilAt}', '"2020-01-01T00:00:00.000Z"') WHERE id = $1`,
    [id],
  );
  for (let pass = 0; pass < 5; pass++) await fleet.requests.runOnce();
  expect((await readRequest(db, id))?.result).toEqual({ answer: { ...NOTHING, total: 3, done: 3 } });
  expect(await pausedTasks(db, Object.keys(TEAMS))).not.toContain('shop-a');
});

test('a bulk action is one entry of the audit, with its labels and how many; each task has its own beside', async () => {
  const id = await askBulk(db, { action: 'pause', labels: shop, untilAt: null }, by('bea', 'stocktaking'));
  for (let pass = 0; pass < 5; pass++) await fleet.requests.runOnce();
  const log = await readAuditLog(db, { principal: 'bea', limit: 10 });
  expect(log).toMatchObject([
    {
      ...{ action: 'ask', subject: `request:${id}`, reason: 'stocktaking' },
      detail: { kind: 'pause_tasks', labels: 'team=shop', tasks: 3 },
    },
  ]);
  expect(await readAuditLog(db, { principal: 'bea', limit: 10, parts: true })).toHaveLength(4);
  expect(await readAuditLog(db, { subject: 'task:shop-b', principal: 'bea', limit: 10 })).toMatchObject([
    { action: 'pause', requestId: id },
  ]);
});

test('who may not do it to one of the tasks does it to none, and is told of which', async () => {
  const grants = [{ role: 'operator', rights: [], namespace: 'default', selector: shop }] as const;
  const who = { ...actionOf({ kind: 'token', id: 'x', name: 'shop-only', address: null }), grants };
  const both = parseSelector('team=shop|mail');
  for (const asked of [
    { action: 'pause', labels: both, untilAt: null },
    { action: 'resume', labels: both },
    { action: 'trigger', labels: both },
    { action: 'cancel', labels: both },
    { action: 'redrive', labels: both },
  ] as const)
    await expect(askBulk(db, asked, who)).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('on task mail-a'),
    });
  await askBulk(db, { action: 'resume', labels: shop }, who);
  await expect(askBulk(db, { action: 'trigger', labels: parseSelector('team=none') }, who)).rejects.toMatchObject({
    code: 'nothing_selected',
  });
});

test('a chunk of pauses that is done twice pauses each task once', async () => {
  const before = (await findTask(db, 'mail-a'))?.pauses.length ?? 0;
  const id = await askBulk(db, { action: 'pause', labels: parseSelector('team=mail'), untilAt: null }, ANN);
  const kept = {
    ...{ total: 1, done: 0, dropped: 0, passed: 0, refusedCount: 0, refused: [], begunAt: ago(0).toISOString() },
    ...{ step: 0, after: { id: 'mail-a', priority: 0 }, chosen: 1 },
    chunk: [{ id: 'mail-a', newId: newRunId(ago(0)) }],
  };
  const back = `UPDATE request SET taken_by = NULL, taken_at = NULL, answered_at = NULL, answer = NULL, progress = $2 WHERE id = $1`;
  for (let time = 0; time < 2; time++) {
    await db.pool.query(back, [id, kept]);
    for (let pass = 0; pass < 3; pass++) await fleet.requests.runOnce();
    expect((await readRequest(db, id))?.result).toEqual({ answer: { ...NOTHING, total: 1, done: 1 } });
  }
  expect((await findTask(db, 'mail-a'))?.pauses).toHaveLength(before + 1);
});

test('a query chooses runs by all that it can say', async () => {
  const ids = await runsOf('queried-a', 'failed', [3 * HOUR, 2 * HOUR, HOUR]);
  const [other] = await runsOf('queried-b', 'failed', [2 * HOUR]);
  const now = systemClock.now();
  const found = async (query: string, action: 'redrive' | 'cancel' | 'rerun' = 'redrive') => {
    const { total, first } = await previewBulk(db, { action, ...filterOfQuery(query, { now, timeZone: 'UTC' }) });
    expect(total).toBe(first.length);
    return first.map(({ id }) => id);
  };
  expect(await found('task:queried-*')).toEqual([ids[0], ids[1], other, ids[2]]);
  expect(await found('task:queried-a,queried-b since:-150m until:-90m')).toEqual([ids[1], other]);
  expect(await found('task:queried-a error:"A REASON"')).toEqual(ids);
  expect(await found('task:queried-a error:100%')).toEqual([]);
  expect(await found('key:queried-b')).toEqual([other]);
  expect(await found('task:queried-* origin:schedule')).toEqual([]);
  expect(await found('task:queried-* origin:trigger state:failed key:queried-b', 'rerun')).toEqual([other]);
  await expect(found('task:queried-a state:open')).rejects.toMatchObject({ code: 'bad_states' });
  await expect(found('task:nobody-*')).rejects.toMatchObject({
    code: 'nothing_selected',
    message: 'no task has the name nobody-*',
  });
  const query = 'task:queried-* error:reason since:-150m';
  const asked = { action: 'redrive', ...filterOfQuery(query, { now, timeZone: 'UTC' }), limit: 2 } as const;
  expect(await carriedOut(asked)).toEqual({ ...NOTHING, total: 2, done: 2 });
  const [entry] = (await readAuditLog(db, { principal: 'ann', limit: 100 })).filter(({ detail }) => detail.query);
  expect(entry).toMatchObject({ action: 'ask', detail: { kind: 'redrive_runs', query, error: 'reason', tasks: 2 } });
  expect(await found('task:queried-*')).toEqual([ids[0], ids[2]]);
});

test('who may not see errors finds runs by the words of reasons alone', async () => {
  const [id] = await runsOf('secretive', 'failed', [HOUR]);
  await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
  await db.pool.query(`UPDATE run SET error = '{"name": "Error", "message": "password is hunter2"}' WHERE id = $1`, [
    id,
  ]);
  await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
  const filter = filterOfQuery('task:secretive error:hunter2', { now: systemClock.now(), timeZone: 'UTC' });
  const principal = { kind: 'token', id: 't', name: 'operator', address: null } as const;
  const grants = [{ role: 'operator', rights: [], namespace: 'default', selector: null }] as const;
  expect(await previewBulk(db, { action: 'redrive', ...filter })).toMatchObject({ total: 1 });
  expect(await previewBulk(db, { action: 'redrive', ...filter, reasonsOnly: true })).toMatchObject({ total: 0 });
  expect(await carriedOut({ action: 'redrive', ...filter }, { ...actionOf(principal), grants })).toMatchObject({
    total: 0,
  });
  expect(await carriedOut({ action: 'redrive', ...filter })).toMatchObject({ total: 1, done: 1 });
});

test('runs whose fate nobody knows are resolved by somebody who says how they know', async () => {
  const ids = await runsOf('cut-off', 'unknown', [2 * HOUR, HOUR]);
  const [other] = await runsOf('cut-off-too', 'unknown', [HOUR]);
  const asked = { action: 'resolve', as: 'succeeded', task: 'cut-off' } as const;
  await expect(askBulk(db, asked, by('ann'))).rejects.toMatchObject({ code: 'no_reason' });
  expect(await previewBulk(db, asked)).toMatchObject({ total: 2, first: [{ id: ids[0] }, { id: ids[1] }] });
  expect(await carriedOut(asked)).toEqual({ ...NOTHING, total: 2, done: 2 });
  expect(await statesOf([...ids, other ?? ''])).toEqual(['succeeded', 'succeeded', 'unknown']);
  expect(await auditEntries(db, { run: ids[0] ?? '' })).toMatchObject([
    { action: 'resolve', detail: { as: 'succeeded' } },
  ]);
  await expect(previewBulk(db, { ...asked, states: ['failed'] })).rejects.toMatchObject({ code: 'bad_states' });
  expect(await carriedOut({ action: 'resolve', as: 'rerun', task: 'cut-off-too' })).toMatchObject({ done: 1 });
  const { rows } = await db.pool.query('SELECT state FROM run WHERE rerun_of = $1', [other]);
  expect([await statesOf([other ?? '']), rows.length]).toEqual([['failed'], 1]);
});
