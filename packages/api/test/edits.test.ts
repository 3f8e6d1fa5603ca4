import { findTask } from '@escapement/store';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const SECRET = { type: 'http', url: 'https://user:secret@shop.example/' };

async function make(name: string, more: object = {}, query: Record<string, string> = {}): Promise<string> {
  const { status, body } = await ask({
    method: 'POST',
    path: '/v1/tasks',
    query,
    body: { name, handler: SECRET, ...more },
  });
  expect([status, body.kind]).toEqual([201, 'created']);
  return `/v1/tasks/${body.id}`;
}

test('edits say that a part is null or another one as a whole, and what is hidden stays', async () => {
  const path = await make('edited', { payload: { a: 1 }, labels: { old: 'x' }, description: 'old' });
  const body = [
    { set: ['payload'], value: null },
    { set: ['labels'], value: { team: 'shop' } },
    { set: ['retry', 'maxAttempts'], value: 2 },
    { unset: ['description'] },
  ];
  const preview = await ask({ method: 'POST', path: `${path}/preview`, body });
  expect(preview.body.effect.changed).toEqual(['description', 'labels', 'payload', 'retry']);
  expect((await ask({ method: 'PATCH', path, body })).body.version).toBe(2);
  const definition = (await findTask(db, 'edited'))?.definition;
  expect(definition).toMatchObject({ payload: null, retry: { maxAttempts: 2 }, handler: SECRET });
  expect(definition?.labels).toEqual({ team: 'shop' });
  expect(definition?.description).toBeUndefined();
});

test('edits of a payload by whom it is not shown to change that part alone', async () => {
  const path = await make('unseen', { payload: { a: 1, b: 2 } });
  const editor = await token({ role: 'editor' });
  expect((await ask({ path }, editor)).body.definition.payload).toBeUndefined();
  const body = [{ set: ['payload', 'a'], value: 3 }];
  expect((await ask({ method: 'PATCH', path, body }, editor)).status).toBe(200);
  expect((await findTask(db, 'unseen'))?.definition.payload).toEqual({ a: 3, b: 2 });
});

test('what cannot be unset is told with what is there, to those who may edit', async () => {
  const path = await make('absent', { retry: { maxAttempts: 3 } });
  const asked = { method: 'PATCH', path, body: [{ unset: ['retry', 'maxAttempt'] }] };
  const refused = await ask(asked);
  expect([refused.status, refused.body]).toMatchObject([
    422,
    { code: 'nothing_to_unset', fix: 'did you mean maxAttempts?' },
  ]);
  const viewer = await ask(asked, await token({ role: 'viewer' }));
  expect([viewer.status, viewer.body.code]).toEqual([403, 'not_allowed']);
});

test('a revert and another name are previewed as they are done', async () => {
  const path = await make('older', { timeoutMs: 1000 });
  await make('other');
  await ask({ method: 'PATCH', path, body: { timeoutMs: 2000, priority: 3 } });
  const preview = async (query: Record<string, string>, body: object = {}) =>
    await ask({ method: 'POST', path: `${path}/preview`, query, body });
  expect((await preview({ version: '1' })).body.effect.changed).toEqual(['priority', 'timeoutMs']);
  expect((await preview({ version: '7' })).body.code).toBe('unknown_version');
  expect((await preview({ name: 'newer' })).body.effect).toMatchObject({ name: 'newer', changed: ['key', 'name'] });
  expect((await preview({ name: 'other' })).body.code).toBe('task_exists');
  expect((await preview({}, { name: 'newer' })).body.code).toBe('bad_task');
  expect((await ask({ path })).body).toMatchObject({ name: 'older', version: 2 });
});

test('a save tells what it changed for as many days as are asked for, and who manages a new task', async () => {
  const schedule = { kind: 'every', everyMs: 86_400_000 };
  const path = await make('daily', { schedule }, { source: 'cli' });
  expect((await findTask(db, 'daily'))?.source).toBe('cli');
  const query = { days: '30', timeZone: 'Europe/Berlin' };
  const { body } = await ask({ method: 'PATCH', path, query, body: { schedule: { kind: 'manual' } } });
  expect(body.effect).toMatchObject({ timeZone: 'Europe/Berlin', fires: { removed: { count: 30 } } });
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
