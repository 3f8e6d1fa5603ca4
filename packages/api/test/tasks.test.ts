import { saveAlerting, saveCalendar } from '@escapement/operations';
import { by, finishedRunOf } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const handler = { type: 'http', url: 'https://user:secret@shop.example/' };
const NIGHTLY = { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' };

async function make(name: string, more: object = {}): Promise<string> {
  const { status, body } = await ask({
    method: 'POST',
    path: '/v1/tasks',
    body: { name, handler, schedule: NIGHTLY, ...more },
  });
  expect([status, body.kind, body.version]).toEqual([201, 'created', 1]);
  return `/v1/tasks/${body.id}`;
}

test('what was previewed is what is saved, or nothing is', async () => {
  const path = await make('previewed');
  const change = { schedule: { expression: '0 3 * * *' } };
  const preview = await ask({ method: 'POST', path: `${path}/preview`, body: change });
  expect(preview.body).toMatchObject({
    ...{ meaning: 'at 03:00 every day', meaningBefore: 'at 02:30 every day', version: 1 },
    effect: { action: 'update', changed: ['schedule'], timeZone: 'Europe/Berlin' },
  });
  expect([preview.body.before.length, preview.body.after.length, preview.body.effect.clockChanges.length]).toEqual([
    10, 10, 2,
  ]);
  const { next } = preview.body.effect;
  const other = await ask({ method: 'PATCH', path, query: { next: '2030-01-01T00:00:00Z' }, body: change });
  expect([other.status, other.body.code, other.body.current]).toEqual([409, 'preview_outdated', { version: 1 }]);
  const { meaning, before, after } = preview.body;
  expect(other.body.outdated).toMatchObject({ previewed: null, now: { meaning, before, after }, since: null });
  expect((await ask({ path })).headers.etag).toBe('"1"');
  const saved = await ask({ method: 'PATCH', path, query: { next }, headers: { 'if-match': '"1"' }, body: change });
  expect([saved.status, saved.body.version, saved.body.effect.next]).toEqual([200, 2, next]);
  const again = await ask({ method: 'PATCH', path, headers: { 'if-match': '"1"' }, body: { timeoutMs: 900 } });
  expect([again.status, again.body.code, again.body.current]).toEqual([412, 'version_changed', { version: 2 }]);
  const diff = await ask({ path: `${path}/diff`, query: { from: '1', to: '2' } });
  expect(diff.body.parts).toMatchObject([
    { part: 'schedule', from: { expression: '30 2 * * *' }, to: { expression: '0 3 * * *' } },
  ]);
});

test('a task whose schedule never fires is told apart, until its schedule has an instant to come', async () => {
  const path = await make('over', { schedule: { ...NIGHTLY, endAt: '2020-01-01T00:00:00Z' } });
  const listed = async () =>
    (await ask({ path: '/v1/tasks', query: { state: 'never_fires' } })).body.items.map(
      ({ name }: { name: string }) => name,
    );
  expect(await listed()).toEqual(['over']);
  expect((await ask({ path })).body).toMatchObject({ state: 'never_fires', neverFires: true });
  expect((await ask({ method: 'PATCH', path, body: { schedule: { endAt: null } } })).status).toBe(200);
  expect(await listed()).toEqual([]);
  expect((await ask({ path })).body).toMatchObject({ state: 'active', neverFires: false });
});

test('a calendar that is another one since the preview is told, also where the first fire stays', async () => {
  await saveCalendar(db, 'shut', { timeZone: 'UTC', entries: [{ dates: ['2126-12-24'] }] }, by('root'));
  const path = await make('closed', { calendars: { exclude: ['shut'] } });
  const change = { timeoutMs: 5000 };
  const { basis, next } = (await ask({ method: 'POST', path: `${path}/preview`, body: change })).body.effect;
  await saveCalendar(db, 'shut', { timeZone: 'UTC', entries: [{ dates: ['2126-12-24', '2126-12-25'] }] }, by('root'));
  const save = async (query: Record<string, string>) => await ask({ method: 'PATCH', path, query, body: change });
  const refused = await save({ basis, next });
  expect([refused.status, refused.body.code]).toEqual([409, 'preview_outdated']);
  expect(refused.body.detail).toContain('a calendar of it');
  const anew = (await ask({ method: 'POST', path: `${path}/preview`, body: change })).body.effect;
  expect([(await save({ basis: anew.basis, next })).status, anew.next]).toEqual([200, next]);
});

test('a preview of a new task has no words of before', async () => {
  const { body } = await ask({
    method: 'POST',
    path: '/v1/preview',
    body: { name: 'new', handler, schedule: NIGHTLY },
  });
  expect(body).toMatchObject({ meaning: 'at 02:30 every day', meaningBefore: null, before: [], version: null });
});

test('of two who change the same version one is told so', async () => {
  const path = await make('raced');
  const answers = await Promise.all(
    [1000, 2000, 3000].map((timeoutMs) =>
      ask({ method: 'PATCH', path, headers: { 'if-match': '"1"' }, body: { timeoutMs } }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
});

test('a definition is replaced only by who says which version', async () => {
  const path = await make('replaced');
  const body = { name: 'replaced', handler: { type: 'shell', command: 'true' } };
  expect((await ask({ method: 'PUT', path, body })).body.code).toBe('no_version');
  expect((await ask({ method: 'PUT', path, headers: { 'if-match': 'soon' }, body })).body.code).toBe('bad_version');
  expect((await ask({ method: 'PUT', path, headers: { 'if-match': '*' }, body })).body.version).toBe(2);
  expect(
    (await ask({ method: 'PUT', path, headers: { 'if-match': '"2"' }, body: { ...body, name: 'other' } })).status,
  ).toBe(400);
});

test('a part of another form replaces what is there, and null takes out', async () => {
  const path = await make('patched', { retry: { maxAttempts: 3 }, description: 'old' });
  const body = {
    schedule: { kind: 'every', everyMs: 60_000 },
    handler: { type: 'shell', command: 'true' },
    description: null,
  };
  expect((await ask({ method: 'PATCH', path, body })).status).toBe(200);
  const { definition } = (await ask({ path })).body;
  expect(definition).toMatchObject({
    schedule: { kind: 'every', everyMs: 60_000 },
    handler: { type: 'shell' },
    retry: { maxAttempts: 3 },
  });
  expect([definition.description, definition.schedule.timeZone, definition.handler.url]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('secrets are not shown, and their marks are not saved', async () => {
  const path = await make('masked');
  const { text, body } = await ask({ path });
  expect(text).not.toContain('secret@');
  const back = await ask({ method: 'PUT', path, headers: { 'if-match': '*' }, body: body.definition });
  expect([back.status, back.body.code]).toEqual([422, 'masked_value']);
  const patched = await ask({ method: 'PATCH', path, body: { timeoutMs: 5000 } });
  expect(patched.body.version).toBe(2);
  await saveAlerting(
    db,
    { rules: [], receivers: { ops: { type: 'slack', url: 'https://hooks.example/T0/secret' } } },
    by('root'),
  );
  const viewer = await token({ role: 'viewer' });
  expect((await ask({ path: '/v1/alert-rules' }, viewer)).text).not.toContain('secret');
  expect((await ask({ path: '/v1/alerting' }, viewer)).status).toBe(403);
});

test('a later change waits, is shown, and is dropped', async () => {
  const path = await make('later');
  const effectiveAt = '2126-01-01T00:00:00.000Z';
  const saved = await ask({ method: 'PATCH', path, query: { effectiveAt }, body: { timeoutMs: 700 } });
  expect(saved.body).toMatchObject({ kind: 'scheduled', version: null, effectiveAt });
  expect((await ask({ path })).body.change).toMatchObject({ effectiveAt });
  expect((await ask({ method: 'DELETE', path: `${path}/pending-change` })).body).toEqual({ dropped: true });
});

test('a later change is guarded as one that counts at once', async () => {
  const path = await make('guarded');
  await ask({ method: 'PATCH', path, body: { timeoutMs: 600 } });
  const effectiveAt = '2126-01-01T00:00:00.000Z';
  const later = async (method: 'PATCH' | 'PUT', headers: Record<string, string>, more: Record<string, string> = {}) => {
    const { definition } = (await ask({ path })).body;
    const body = method === 'PUT' ? { ...definition, handler } : { timeoutMs: 700 };
    const { status, body: answer } = await ask({ method, path, query: { effectiveAt, ...more }, headers, body });
    return [status, answer.code];
  };
  expect(await later('PATCH', { 'if-match': '"1"' })).toEqual([412, 'version_changed']);
  expect(await later('PUT', { 'if-match': '"1"' })).toEqual([412, 'version_changed']);
  expect(await later('PATCH', {}, { next: '2126-02-01T00:00:00.000Z' })).toEqual([409, 'preview_outdated']);
  const made = await ask({
    method: 'POST',
    path: '/v1/tasks',
    query: { effectiveAt },
    body: { name: 'guarded', handler },
  });
  expect([made.status, made.body.code]).toEqual([409, 'task_exists']);
  expect((await ask({ path })).body.change).toBeNull();
  expect(await later('PATCH', { 'if-match': '"2"' })).toEqual([200, undefined]);
});

test('pages of tasks are the list, in each order, cut to what a token may see', async () => {
  for (const name of ['page-a', 'page-b', 'page-c', 'page-d', 'page-e'])
    await make(name, { labels: { team: name < 'page-c' ? 'shop' : 'mail' }, schedule: { kind: 'manual' } });
  for (const sort of ['name', 'next', 'updated', 'pool', 'source', 'state'])
    for (const order of ['asc', 'desc']) {
      const names: string[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const query = { name: 'page-*', sort, order, limit: '2', ...(after === '' ? {} : { after }) };
        const { body } = await ask({ path: '/v1/tasks', query });
        names.push(...body.items.map((task: { name: string }) => task.name));
        after = body.next;
      }
      expect([sort, order, names.toSorted()]).toEqual([
        sort,
        order,
        ['page-a', 'page-b', 'page-c', 'page-d', 'page-e'],
      ]);
      if (sort === 'name') expect(names[0]).toBe(order === 'asc' ? 'page-a' : 'page-e');
    }
  const shop = await token({ role: 'viewer', scope: 'team=shop' });
  const seen = (await ask({ path: '/v1/tasks' }, shop)).body.items.map((task: { name: string }) => task.name);
  expect(seen).toEqual(['page-a', 'page-b']);
  expect((await ask({ path: '/v1/tasks', query: { after: 'x' } })).body.code).toBe('bad_cursor');
  expect((await ask({ path: '/v1/tasks', query: { state: 'pausd' } })).body.errors).toEqual([
    {
      ...{ in: 'query', path: 'state', message: expect.stringContaining('did you mean paused?') },
      ...{ expected: expect.stringContaining('paused'), got: '"pausd"', nearest: 'paused' },
    },
  ]);
});

test('a calendar is read by the token in its URL, and nothing else is', async () => {
  const viewer = await token({ role: 'viewer' });
  const calendar = await ask({ path: '/v1/calendar.ics', query: { token: viewer, days: '2' } }, null);
  expect([calendar.status, calendar.headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(calendar.text).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*SUMMARY:previewed\r\n[\s\S]*END:VCALENDAR\r\n$/);
  expect((await ask({ path: '/v1/calendar.ics' }, null)).body.code).toBe('no_token');
  expect((await ask({ path: '/v1/me', query: { token: viewer } }, null)).body.code).toBe('no_token');
});

test('a calendar has the tasks that its filter means', async () => {
  const viewer = await token({ role: 'viewer' });
  const read = (filter: string) => ask({ path: '/v1/calendar.ics', query: { token: viewer, days: '2', filter } }, null);
  for (const filter of ['task:prev*', 'task:none,previewed key:previewed pool:default'])
    expect((await read(filter)).text).toMatch(/SUMMARY:previewed/);
  expect((await read('task:previewe')).text).not.toMatch(/SUMMARY/);
  expect((await read('label:team=none')).text).not.toMatch(/SUMMARY/);
  expect([(await read('pool:none')).body.code, (await read('key:previewd')).body.code]).toEqual([
    'unknown_pool',
    'unknown_key',
  ]);
  expect((await read('task:a state:failed')).body).toMatchObject({
    ...{ status: 400, code: 'bad_query' },
    at: { start: 7, end: 12 },
  });
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));

test.each([undefined, '*'])('changes of parts at the same moment are all there; If-Match %j', async (version) => {
  const path = await make(`patched-${version === undefined ? 'without' : 'any'}`);
  const names = Array.from({ length: 8 }, (_, index) => `part-${index}`);
  const headers = version === undefined ? {} : { 'if-match': version };
  const answers = await Promise.all(
    names.map((name) => ask({ method: 'PATCH', path, headers, body: { labels: { [name]: 'set' } } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { body } = await ask({ path });
  expect(Object.keys(body.definition.labels).toSorted()).toEqual(names);
});

test('what became of the runs of a task is told by hour or day, in a zone that is known', async () => {
  const path = await make('by-hour');
  await finishedRunOf(db, 'by-hour');
  const outcomes = async (query: Record<string, string>) => await ask({ path: `${path}/outcomes`, query });
  for (const timeZone of ['Asia/Kolkata', 'UTC'])
    for (const by of ['hour', 'day'])
      expect((await outcomes({ by, timeZone })).body.items).toMatchObject([{ succeeded: 0, failed: 1 }]);
  const { status, body } = await outcomes({ timeZone: 'Europe/Berln' });
  expect([status, body.code]).toEqual([422, 'unknown_zone']);
  expect(body.fix).toContain('Europe/Berlin');
});

test('what a payload was and is, is not told to who may not read payloads: only that it differs', async () => {
  const path = await make('secretive', { payload: { customer: 'old-secret' } });
  const change = { payload: { customer: 'new-secret' } };
  await ask({ method: 'PATCH', path, headers: { 'if-match': '"1"' }, body: change });
  const diff = { path: `${path}/diff`, query: { from: '1', to: '2' } };
  expect((await ask(diff)).body.parts).toEqual([
    { part: 'payload', from: { customer: 'old-secret' }, to: { customer: 'new-secret' } },
  ]);
  const viewer = await token({ role: 'viewer' });
  expect((await ask(diff, viewer)).body.parts).toEqual([{ part: 'payload' }]);
  for (const shown of [path, `${path}/versions`, '/v1/tasks'])
    expect((await ask({ path: shown }, viewer)).text).not.toMatch(/(old|new)-secret/);
});
