import { expect, test } from 'vitest';
import { type Answer, testApi } from './api.ts';

const { ask, token, errors } = await testApi();
const handler = { type: 'shell', command: 'true' };
const at = (hour: number) => ({ kind: 'cron', expression: `0 ${hour} * * *`, timeZone: 'Europe/Berlin' });
const EARLIER = { schedule: { expression: '0 3 * * *' } };

async function make(name: string, more: object = {}): Promise<string> {
  const { body } = await ask({ method: 'POST', path: '/v1/tasks', body: { name, handler, schedule: at(2), ...more } });
  return `/v1/tasks/${body.id}`;
}

const patch = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  ask({ method: 'PATCH', path, body, headers });
const preview = (path: string, body: object): Promise<Answer> => ask({ method: 'POST', path: `${path}/preview`, body });

/** A preview as it is at another moment. */
const atAnyTime = ({ body }: Answer) => ({
  ...body,
  effect: { ...body.effect, fires: { ...body.effect.fires, comparedTo: expect.any(String) } },
});

test('who was slower is told what was previewed, what it would do now, and what others have changed', async () => {
  const path = await make('raced');
  const seen = await preview(path, EARLIER);
  await patch(path, { schedule: at(5), timeoutMs: 9000 });
  const { status, body } = await patch(path, EARLIER, { 'if-match': '"1"' });
  expect([status, body.code, body.current]).toEqual([412, 'version_changed', { version: 2 }]);
  expect(body.outdated.previewed).toEqual(atAnyTime(seen));
  expect(body.outdated.now).toEqual(atAnyTime(await preview(path, EARLIER)));
  expect(body.outdated.now).toMatchObject({
    ...{ version: 2, meaning: 'at 03:00 every day', meaningBefore: 'at 05:00 every day' },
    effect: { changed: ['schedule'] },
  });
  expect(body.outdated.since).toMatchObject({
    changed: ['schedule', 'timeoutMs'],
    // Six between the old and the new time of day, seven at any other.
    fires: { moved: { count: expect.toSatisfy((count) => count === 6 || count === 7), first: expect.any(Array) } },
  });
});

test('a replacement is told what it would undo', async () => {
  const path = await make('replaced');
  await patch(path, { timeoutMs: 9000 });
  const body = { name: 'replaced', handler, schedule: at(3) };
  const refused = await ask({ method: 'PUT', path, headers: { 'if-match': '"1"' }, body });
  const { previewed, now, since } = refused.body.outdated;
  expect([previewed, now, since].map((each) => (each.effect ?? each).changed)).toEqual([
    ['schedule'],
    ['schedule', 'timeoutMs'],
    ['timeoutMs'],
  ]);
});

test('what could not be done to the version that was named has no preview, nor has a version that never was', async () => {
  const path = await make('described');
  await patch(path, { description: 'new' });
  const unset = [{ unset: ['description'] }];
  const early = await patch(path, unset, { 'if-match': '"1"' });
  expect(early.body.outdated).toMatchObject({
    ...{ previewed: null, now: { effect: { changed: ['description'] } } },
    since: { changed: ['description'] },
  });
  const never = await patch(path, unset, { 'if-match': '"9"' });
  expect(never.body.outdated).toMatchObject({ previewed: null, now: { version: 2 }, since: null });
});

test('an edit tells nothing to whom may not edit', async () => {
  const path = await make('hidden');
  await patch(path, { timeoutMs: 9000 });
  const asked = { method: 'PATCH', path, body: EARLIER, headers: { 'if-match': '"1"' } };
  const { status, body } = await ask(asked, await token({ role: 'viewer' }));
  expect([status, body.outdated]).toEqual([403, undefined]);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
