import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { aBatch } from './a-batch.ts';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const first = await aBatch(db, {
  parent: 'nightly',
  child: 'thumbnail',
  made: ['succeeded', 'failed', null, 'failed'],
});
const second = await aBatch(db, { parent: 'weekly', child: 'mail', made: [] });
const list = async (query: Record<string, string>, given?: string) =>
  (await ask({ path: '/v1/batches', query }, given)).body;
const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);

test('batches are listed, the latest first, by task, run and state, page by page', async () => {
  const all = await list({});
  expect([idsOf(all), all.next]).toEqual([[second.id, first.id], null]);
  expect(all.items[1]).toMatchObject({
    ...{ name: '1', taskName: 'thumbnail', runId: first.runId, state: 'running', total: 5, made: 4, left: 5 },
  });
  const page = await list({ limit: '1' });
  expect(idsOf(page)).toEqual([second.id]);
  const rest = await list({ limit: '1', after: page.next });
  expect([idsOf(rest), rest.next]).toEqual([[first.id], null]);
  expect(idsOf(await list({ task: 'mail' }))).toEqual([second.id]);
  expect(idsOf(await list({ run: first.runId }))).toEqual([first.id]);
  expect(idsOf(await list({ state: 'done,cancelled' }))).toEqual([]);
  expect((await list({ state: 'runing' })).errors[0].message).toContain('did you mean running?');
  expect((await list({ after: 'x' })).code).toBe('bad_cursor');
});

test('a batch says how it was asked for, and once it is cancelled, why', async () => {
  const path = `/v1/batches/${second.id}`;
  expect((await ask({ path })).body).toMatchObject({
    ...{ key: 'mail-{{payload.item}}', concurrency: 1000, order: 'none', onError: 'continue' },
    ...{ cancelledBy: null, endedAt: null },
  });
  await ask({ method: 'POST', path: `/v1/runs/${second.runId}/cancel`, body: { reason: 'wrong list' } });
  expect((await ask({ path })).body).toMatchObject({ state: 'cancelling', reason: 'wrong list' });
  const missing = await ask({ path: `/v1/batches/${first.runId}` });
  expect([missing.status, missing.body.code]).toEqual([404, 'unknown_batch']);
});

test('the children of a batch come in the order of their items, in pages that miss none', async () => {
  const path = `/v1/batches/${first.id}/children`;
  const { body } = await ask({ path });
  expect(body.items.map((child: { index: number; state: string }) => [child.index, child.state])).toEqual([
    [0, 'succeeded'],
    [1, 'failed'],
    [2, 'queued'],
    [3, 'failed'],
  ]);
  expect(body.items[1]).toMatchObject({ reason: 'exit code 3', payload: { item: 1 } });
  expect(body.items[0].output).toEqual({ sent: 'succeeded' });
  const failed: number[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: Record<string, string> = { state: 'failed', limit: '1', ...(after === '' ? {} : { after }) };
    const page = (await ask({ path, query })).body;
    failed.push(...page.items.map(({ index }: { index: number }) => index));
    after = page.next;
  }
  expect(failed).toEqual([1, 3]);
});

test('a token sees the batches whose children it may see, and their items only with the right to payloads', async () => {
  await saveTask(
    db,
    { name: 'mail', handler: { type: 'shell', command: 'true' }, labels: { team: 'mail' } },
    { source: 'cli', by: by('test') },
  );
  const scoped = await token({ role: 'viewer', scope: 'team=mail' });
  expect(idsOf(await list({}, scoped))).toEqual([second.id]);
  expect((await ask({ path: `/v1/batches/${first.id}` }, scoped)).status).toBe(403);
  const plain = await token({ role: 'viewer' });
  const { text } = await ask({ path: `/v1/batches/${first.id}/children` }, plain);
  expect([text.includes('of an item'), text.includes('exit code 3')]).toEqual([false, true]);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
