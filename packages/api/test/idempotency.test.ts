import { renameTask, saveTask } from '@escapement/operations';
import { pruneSmallTables } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { type Answer, testApi } from './api.ts';

const { ask, db, token } = await testApi();
await saveTask(db, { name: 'order', handler: { type: 'shell', command: 'true' } }, { source: 'api', by: by('root') });
const { body } = await ask({ path: '/v1/tasks', query: { name: 'order' } });
const path = `/v1/tasks/${body.items[0].id}/trigger`;

const trigger = (key: string, payload: unknown, who?: string): Promise<Answer> =>
  ask({ method: 'POST', path, headers: { 'idempotency-key': key }, body: { payload } }, who);
const countRuns = async () =>
  (await db.pool.query<{ count: number }>('SELECT count(*)::integer AS count FROM run')).rows[0]?.count;

test('the same key is the same run and the same answer, however often and at the same moment', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => trigger('order-1', { order: 1 })));
  answers.push(await trigger('order-1', { order: 1 }));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await countRuns()).toBe(1);
  const { rows } = await db.pool.query(`SELECT 1 FROM audit WHERE action = 'trigger'`);
  expect(rows).toHaveLength(1);
});

test('for something else it is refused, for somebody else it is another key', async () => {
  expect((await trigger('order-1', { order: 2 })).body.code).toBe('idempotency_key_reused');
  const other = await trigger('order-1', { order: 2 }, await token({}));
  expect([other.status, await countRuns()]).toEqual([201, 2]);
});

test('a key whose run was never made makes it', async () => {
  await trigger('order-3', { order: 3 });
  const before = await countRuns();
  // As if the process had died after it had kept the key.
  await db.pool.query(`DELETE FROM run WHERE id = (SELECT run_id FROM trigger_key WHERE key = 'order-3')`);
  expect((await trigger('order-3', { order: 3 })).status).toBe(201);
  expect(await countRuns()).toBe(before);
});

test('after a day it is forgotten; one that is too long is refused', async () => {
  await db.pool.query(`UPDATE trigger_key SET created_at = now() - interval '25 hours' WHERE key = 'order-1'`);
  await pruneSmallTables(db);
  expect((await trigger('order-1', { order: 9 })).status).toBe(201);
  expect((await trigger('x'.repeat(256), {})).body).toMatchObject({ status: 400, code: 'bad_idempotency_key' });
});

test('also by the name of the task, and by a former one: it is one run', async () => {
  const headers = { 'idempotency-key': 'by-name' };
  const asked = { method: 'POST', path: '/v1/runs', headers } as const;
  const first = await ask({ ...asked, body: { task: 'order', single: true } });
  expect(first.status).toBe(201);
  await renameTask(db, 'order', 'orders', { by: by('root') });
  expect((await ask({ ...asked, body: { task: 'order', single: true } })).text).toBe(first.text);
  expect((await trigger('by-name', undefined)).text).toBe(first.text);
});
