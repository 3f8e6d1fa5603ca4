import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { type Answer, testApi } from './api.ts';

const { ask, db, token, errors } = await testApi();
const handler = { type: 'shell', command: 'true' } as const;
await saveTask(db, { name: 'order', labels: { team: 'shop' }, handler }, { source: 'api', by: by('root') });
const { body } = await ask({ path: '/v1/task', query: { name: 'order' } });
const path = `/v1/tasks/${body.id}/trigger`;

const trigger = (asked: object, who?: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask({ method: 'POST', path, body: asked, headers }, who);
const idOf = ({ body }: Answer): string => body.runs[0].id;
const keyOf = async (id: string): Promise<string> => (await ask({ path: `/v1/runs/${id}` })).body.key;

async function end(id: string): Promise<void> {
  const { body } = await ask({ method: 'POST', path: `/v1/runs/${id}/cancel`, body: { reason: 'enough' } });
  expect(body).toMatchObject({ id, kind: 'cancelled' });
}

async function retry(id: string): Promise<string> {
  const { body } = await ask({ method: 'POST', path: `/v1/runs/${id}/rerun`, body: { reason: 'again' } });
  return body.id;
}

test('a run has the key that it is triggered with, and the audit tells it', async () => {
  const id = idOf(await trigger({ key: 'order:{{payload.order}}', payload: { order: 7 } }));
  expect(await keyOf(id)).toBe('order:7');
  const { rows } = await db.pool.query(`SELECT detail FROM audit WHERE detail->>'run' = $1`, [id]);
  expect(rows).toEqual([{ detail: { run: id, key: 'order:7' } }]);
  expect(await keyOf(idOf(await trigger({ payload: { order: 7 } })))).toBe('order');
});

test('a rerun keeps a key of its own, and so does the rerun of that; else it has that of the task', async () => {
  const own = idOf(await trigger({ key: 'mine' }));
  const plain = idOf(await trigger({}));
  await saveTask(
    db,
    { name: 'order', key: 'other', labels: { team: 'shop' }, handler },
    { source: 'api', by: by('root') },
  );
  await Promise.all([own, plain].map(end));
  const rerun = await retry(own);
  await end(rerun);
  expect(await Promise.all([rerun, await retry(rerun), await retry(plain)].map(keyOf))).toEqual([
    'mine',
    'mine',
    'other',
  ]);
});

test('with the same Idempotency-Key another key is something else', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await trigger({ key: 'a' }, undefined, headers);
  expect((await trigger({ key: 'a' }, undefined, headers)).text).toBe(first.text);
  for (const asked of [{ key: 'b' }, {}])
    expect((await trigger(asked, undefined, headers)).body.code).toBe('idempotency_key_reused');
});

test('who may trigger some tasks may not hold up others by a key', async () => {
  const shop = await token({ role: 'operator', scope: 'team=shop' });
  const refused = await trigger({ key: 'billing' }, shop);
  expect([refused.status, refused.body.code]).toEqual([403, 'not_allowed']);
  expect((await trigger({}, shop)).status).toBe(201);
  expect((await trigger({ key: 'billing' }, await token({ role: 'operator' }))).status).toBe(201);
});

test.each([
  ['', 400],
  ['x'.repeat(513), 400],
  ['a\u0000b', 400],
  ['a{{payload.b', 400],
  ['{{payload.missing}}', 422],
])('%j is no key', async (key, status) => {
  expect((await trigger({ key })).status).toBe(status);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
