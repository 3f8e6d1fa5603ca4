import { saveTask } from '@escapement/operations';
import { by, finishedRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const handler = { type: 'shell', command: 'true' } as const;
for (const name of ['nightly-a', 'nightly-b', 'hourly']) await finishedRun(db, name);
await saveTask(db, { name: 'nightly-a', handler, labels: { team: 'shop' } }, { source: 'cli', by: by('test') });
const preview = (body: object, given?: string) => ask({ method: 'POST', path: '/v1/bulk/preview', body }, given);
const start = (act: object, given?: string) =>
  ask({ method: 'POST', path: '/v1/bulk', body: { act, reason: 'mended' } }, given);

test('the query of the list of runs chooses those of an act, and stands in its entry of the audit', async () => {
  const query = 'task:nightly-* state:failed error:"exit code" since:-1h';
  const listed = await ask({ path: '/v1/runs', query: { query } });
  const ids = listed.body.items.map(({ id }: { id: string }) => id);
  const previewed = await preview({ act: 'redrive', query });
  expect([previewed.status, previewed.body.total]).toEqual([200, 2]);
  expect(previewed.body.first.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
  const started = await start({ act: 'redrive', query, limit: 1 });
  expect(started.status).toBe(202);
  const request = await ask({ path: `/v1/bulk/${started.body.id}` });
  expect(request.body).toMatchObject({
    ...{ state: 'waiting', reason: 'mended' },
    act: { kind: 'redrive_runs', query, error: 'exit code', tasks: ['nightly-a', 'nightly-b'], limit: 1 },
  });
  const { body } = await ask({ path: '/v1/audit', query: { subject: `request:${started.body.id}` } });
  expect(body.items).toMatchObject([{ action: 'ask', reason: 'mended', detail: { query, tasks: 2 } }]);
});

test('a query that cannot be read is refused with its place; with other bounds beside it, it is refused', async () => {
  const bad = await preview({ act: 'retry', query: 'task:a stat:failed' });
  expect([bad.status, bad.body.code, bad.body.at]).toEqual([400, 'bad_query', { start: 7, end: 11 }]);
  const both = await start({ act: 'retry', query: 'task:a', states: ['failed'] });
  expect([both.status, both.body.detail]).toEqual([400, 'query and states are both given']);
  const none = await preview({ act: 'cancel', query: 'task:nobody-*' });
  expect([none.status, none.body.code]).toEqual([422, 'nothing_selected']);
});

test('the right is asked for each task that the query names, and for all where it names none', async () => {
  const scoped = await token({ role: 'operator', scope: 'team=shop' });
  expect((await preview({ act: 'redrive', query: 'task:nightly-a' }, scoped)).body.total).toBe(1);
  expect((await preview({ act: 'redrive', query: 'label:team=shop' }, scoped)).body.total).toBe(1);
  for (const query of ['task:nightly-*', 'state:failed', 'key:hourly', '']) {
    expect((await preview({ act: 'redrive', query }, scoped)).status).toBe(403);
    expect((await start({ act: 'redrive', query }, scoped)).status).toBe(403);
  }
});

test('runs are resolved by who says how they know', async () => {
  const body = { act: { act: 'resolve', as: 'failed', query: 'task:hourly' } };
  const unsaid = await ask({ method: 'POST', path: '/v1/bulk', body });
  expect([unsaid.status, unsaid.body.code]).toEqual([422, 'no_reason']);
  expect((await ask({ method: 'POST', path: '/v1/bulk', body: { ...body, reason: 'I saw it' } })).status).toBe(202);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
