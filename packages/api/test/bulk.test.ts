import { HOUR, newRunId, systemClock } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { putRequest, recordAudit } from '@escapement/store';
import { by, finishedRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const handler = { type: 'shell', command: 'true' } as const;
for (const name of ['nightly-a', 'nightly-b', 'hourly']) await finishedRun(db, name);
await saveTask(db, { name: 'nightly-a', handler, labels: { team: 'shop' } }, { source: 'cli', by: by('test') });
const preview = (body: object, given?: string) => ask({ method: 'POST', path: '/v1/bulk/preview', body }, given);
const start = (action: object, given?: string) =>
  ask({ method: 'POST', path: '/v1/bulk', body: { action, reason: 'mended' } }, given);

test('the query of the list of runs chooses those of an action, and stands in its entry of the audit', async () => {
  const query = 'task:nightly-* state:failed error:"exit code" since:-1h';
  const listed = await ask({ path: '/v1/runs', query: { query } });
  const ids = listed.body.items.map(({ id }: { id: string }) => id);
  const previewed = await preview({ action: 'redrive', query });
  expect([previewed.status, previewed.body.total]).toEqual([200, 2]);
  expect(previewed.body.first.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
  const started = await start({ action: 'redrive', query, limit: 1 });
  expect(started.status).toBe(202);
  const request = await ask({ path: `/v1/bulk/${started.body.id}` });
  expect(request.body).toMatchObject({
    ...{ state: 'waiting', reason: 'mended' },
    action: { kind: 'redrive_runs', query, error: 'exit code', tasks: ['nightly-a', 'nightly-b'], limit: 1 },
  });
  const { body } = await ask({ path: '/v1/audit', query: { subject: `request:${started.body.id}` } });
  expect(body.items).toMatchObject([{ action: 'ask', reason: 'mended', detail: { query, tasks: 2 } }]);
});

test('a query that cannot be read is refused with its place; with other bounds beside it, it is refused', async () => {
  const bad = await preview({ action: 'rerun', query: 'task:a stat:failed' });
  expect([bad.status, bad.body.code, bad.body.at]).toEqual([400, 'bad_query', { start: 7, end: 11 }]);
  const both = await start({ action: 'rerun', query: 'task:a', states: ['failed'] });
  expect([both.status, both.body.detail]).toEqual([400, 'query and states are both given']);
  const none = await preview({ action: 'cancel', query: 'task:nobody-*' });
  expect([none.status, none.body.code]).toEqual([422, 'nothing_selected']);
});

test('the right is asked for each task that the query names, and for all where it names none', async () => {
  const scoped = await token({ role: 'operator', scope: 'team=shop' });
  expect((await preview({ action: 'redrive', query: 'task:nightly-a' }, scoped)).body.total).toBe(1);
  expect((await preview({ action: 'redrive', query: 'label:team=shop' }, scoped)).body.total).toBe(1);
  for (const query of ['task:nightly-*', 'state:failed', 'key:hourly', '']) {
    expect((await preview({ action: 'redrive', query }, scoped)).status).toBe(403);
    expect((await start({ action: 'redrive', query }, scoped)).status).toBe(403);
  }
});

test('the order of tasks in which held runs go on is kept with the action and in the audit', async () => {
  const order = ['nightly-b', 'hourly'];
  const { status, body } = await start({ action: 'run_held', order });
  expect(status).toBe(202);
  expect((await ask({ path: `/v1/bulk/${body.id}` })).body.action).toMatchObject({ kind: 'run_held', order });
  const audit = await ask({ path: '/v1/audit', query: { subject: `request:${body.id}` } });
  expect(audit.body.items).toMatchObject([{ detail: { kind: 'run_held', order } }]);
});

test.each([
  ['a task twice', ['hourly', 'hourly']],
  ['none', []],
  ['a pattern', ['nightly-*']],
  ['too many', Array.from({ length: 1001 }, (_, index) => `task-${index}`)],
])('an order with %s is refused, also beforehand', async (_, order) => {
  const bulkAction = { action: 'run_held', order };
  for (const { status, body } of [await preview(bulkAction), await start(bulkAction)])
    expect([status, body.code]).toEqual([400, 'bad_request']);
});

test('an order with a name that is no task is refused with the nearest', async () => {
  const bulkAction = { action: 'run_held', order: ['hourly', 'hourlz'] };
  const [previewed, started] = [await preview(bulkAction), await start(bulkAction)];
  expect([previewed.status, started.status]).toEqual([404, 422]);
  expect([previewed.body, started.body]).toMatchObject(
    Array.from({ length: 2 }, () => ({ code: 'unknown_task', fix: 'did you mean hourly?' })),
  );
});

test('only held runs that go on have an order, and only of tasks that the action is about', async () => {
  expect((await preview({ action: 'drop_held', order: ['hourly'] })).status).toBe(400);
  const other = await preview({ action: 'run_held', task: 'hourly', order: ['nightly-a'] });
  expect([other.status, other.body.code]).toEqual([404, 'unknown_task']);
});

test('runs are resolved by who says how they know', async () => {
  const body = { action: { action: 'resolve', as: 'failed', query: 'task:hourly' } };
  const unsaid = await ask({ method: 'POST', path: '/v1/bulk', body });
  expect([unsaid.status, unsaid.body.code]).toEqual([422, 'no_reason']);
  expect((await ask({ method: 'POST', path: '/v1/bulk', body: { ...body, reason: 'I saw it' } })).status).toBe(202);
});

test('whoever may see all tasks of an action, or asked for it, may follow it; to others it is not there', async () => {
  const shop = await token({ role: 'operator', scope: 'team=shop' });
  const colleague = await token({ role: 'viewer', scope: 'team=shop' });
  const stranger = await token({ role: 'operator', scope: 'team=mail' });
  const ids = async (given?: string): Promise<string[]> =>
    (await ask({ path: '/v1/bulk' }, given)).body.items.map(({ id }: { id: string }) => id);
  const own = await start({ action: 'redrive', label: 'team=shop' }, shop);
  expect(own.status).toBe(202);
  const location = String(own.headers.location);
  for (const given of [shop, colleague]) expect((await ask({ path: location }, given)).status).toBe(200);
  const hidden = await ask({ path: location }, stranger);
  expect([hidden.status, hidden.body.code]).toEqual([404, 'unknown_request']);
  const wide = await start({ action: 'redrive', query: 'task:nightly-*' });
  const all = await start({ action: 'cancel' });
  for (const { body } of [wide, all]) expect((await ask({ path: `/v1/bulk/${body.id}` }, shop)).status).toBe(404);
  for (const given of [shop, colleague]) {
    const seen = await ids(given);
    expect(seen).toContain(own.body.id);
    expect(seen).not.toContain(wide.body.id);
    expect(seen).not.toContain(all.body.id);
  }
  expect(await ids(stranger)).toEqual([]);
  expect(await ids()).toEqual(expect.arrayContaining([own.body.id, wide.body.id, all.body.id]));
});

test('a bulk action whose tasks have other labels since then is still seen by who asked for it', async () => {
  const asker = await token({ role: 'operator', scope: 'team=shop' });
  const colleague = await token({ role: 'operator', scope: 'team=shop' });
  const label = (team: string) =>
    saveTask(db, { name: 'nightly-a', handler, labels: { team } }, { source: 'cli', by: by('test') });
  const path = String((await start({ action: 'redrive', task: 'nightly-a' }, asker)).headers.location);
  await label('mail');
  const statuses = [(await ask({ path }, asker)).status, (await ask({ path }, colleague)).status];
  await label('shop');
  expect(statuses).toEqual([200, 404]);
});

test('a bulk action on runs of a list is seen by who may see the tasks of them all', async () => {
  const shop = await token({ role: 'operator', scope: 'team=shop' });
  const runs = async (task: string) =>
    (await ask({ path: '/v1/runs', query: { query: `task:${task}` } })).body.items.map(({ id }: { id: string }) => id);
  const put = async (named: string[]) =>
    await putRequest(db, {
      request: { kind: 'redrive_named', error: 'exit code', runs: named },
      ...{ by: by('root'), patienceMs: 60_000, inChunks: true },
    });
  const own = await put(await runs('nightly-a'));
  const mixed = await put([...(await runs('nightly-a')), ...(await runs('hourly'))]);
  const gone = await put([newRunId(systemClock.now())]);
  const status = async (id: string) => (await ask({ path: `/v1/bulk/${id}` }, shop)).status;
  expect(await Promise.all([own, mixed, gone].map(status))).toEqual([200, 404, 404]);
});

test('acts of others, however many came since, do not hide those that somebody may see', async () => {
  const shop = await token({ role: 'operator', scope: 'team=shop' });
  const request = (tasks: string[]) => ({ kind: 'pause_tasks', labels: 'team=any', tasks, untilAt: null });
  const put = async (tasks: string[]) =>
    await putRequest(db, { request: request(tasks), by: by('root'), patienceMs: 60_000, inChunks: true });
  const own = [await put(['nightly-a']), await put(['nightly-a'])];
  for (let count = 0; count < 210; count++) await put(['hourly']);
  const { body } = await ask({ path: '/v1/bulk', query: { limit: '2' } }, shop);
  // Both may be of the same millisecond: no order is asked for.
  expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual(own.sort());
});

test('what a bulk action was done to is listed a page at a time, for whoever may see the action', async () => {
  const started = await start({ action: 'trigger', label: 'team=shop' });
  const path = `/v1/bulk/${started.body.id}/results`;
  const who = { ...by('test'), requestId: started.body.id };
  for (const taskName of ['nightly-a', 'nightly-b'])
    await recordAudit(db, { task: taskName }, { action: 'trigger', detail: { run: `run of ${taskName}` }, by: who });
  const shop = await token({ role: 'operator', scope: 'team=shop' });
  const first = await ask({ path, query: { limit: '1' } }, shop);
  expect(first.body).toMatchObject({ counts: null, next: expect.any(String) });
  const { body } = await ask({ path, query: { limit: '2', after: first.body.next } }, shop);
  expect(body.next).toBe(null);
  expect([...first.body.items, ...body.items]).toEqual(
    ['nightly-a', 'nightly-b'].map((taskName) => ({
      ...{ at: expect.any(String), outcome: 'done', runId: null, taskName, newRunId: `run of ${taskName}` },
    })),
  );
  const stranger = await token({ role: 'operator', scope: 'team=mail' });
  expect((await ask({ path }, stranger)).status).toBe(404);
  expect((await ask({ path, query: { after: 'nonsense' } })).body.code).toBe('bad_cursor');
});

test('backfills and the last run are cut to what somebody may see', async () => {
  const shop = await token({ role: 'operator', scope: 'team=shop' });
  const hourly = { handler, schedule: { kind: 'every', everyMs: HOUR } } as const;
  for (const [name, team] of [
    ['filled-a', 'shop'],
    ['filled-b', 'mail'],
  ] as const)
    await saveTask(db, { name, ...hourly, labels: { team } }, { source: 'cli', by: by('test') });
  const body = (task: string) => ({
    task,
    fromAt: new Date(systemClock.now().getTime() - 2 * HOUR).toISOString(),
    reason: 'lost',
  });
  const fill = (task: string, given?: string) =>
    ask({ method: 'POST', path: '/v1/backfills', body: body(task) }, given);
  const own = await fill('filled-a', shop);
  expect(own.status).toBe(201);
  const other = await fill('filled-b');
  const ids = async (given?: string) =>
    (await ask({ path: '/v1/backfills' }, given)).body.items?.map(({ id }: { id: string }) => id);
  expect(await ids(shop)).toEqual([own.body.id]);
  expect(await ids()).toEqual([other.body.id, own.body.id]);
  const viewer = await token({ role: 'viewer' });
  expect((await ask({ path: '/v1/backfills' }, viewer)).body.items).toMatchObject([{ progress: {} }, { progress: {} }]);
  const last = await ask({ path: '/v1/run/last' }, shop);
  expect([last.status, last.body.taskName]).toEqual([200, 'nightly-a']);
  expect((await ask({ path: '/v1/run/last' })).body.taskName).toBe('hourly');
  const none = await ask({ path: '/v1/run/last' }, await token({ role: 'viewer', scope: 'team=nobody' }));
  expect([none.status, none.body.code]).toEqual([404, 'no_run_begun']);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
