import { saveTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by, lockRows } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const handler = { type: 'http', url: 'https://shop.example/' };
const task = (name: string, more: object = {}) => ({ name, handler, ...more });
const post = async (path: string, body: object, given?: string) => await ask({ method: 'POST', path, body }, given);
const plan = async (body: object, given?: string) => await post('/v1/apply/plan', body, given);
const apply = async (body: object, given?: string) => await post('/v1/apply', body, given);
const versionOf = async (name: string) => (await findTask(db, name))?.version;

test('a plan writes nothing; what it says is done; done again, nothing changes', async () => {
  const documents = {
    set: 'shop',
    tasks: [task('report', { schedule: { kind: 'every', everyMs: 3_600_000 } }), task('cleanup')],
  };
  const planned = await plan(documents);
  expect([planned.status, planned.body.effects.length]).toEqual([200, 2]);
  expect(planned.body).toMatchObject({
    effects: [
      { name: 'report', action: 'create', fires: { added: { count: 168 } }, undoes: [] },
      { name: 'cleanup', action: 'create', next: null },
    ],
    ...{ unchanged: 0, left: [], doubt: null },
    plan: { report: { action: 'create', version: null }, cleanup: { action: 'create', version: null } },
  });
  expect(await findTask(db, 'report')).toBeNull();
  const applied = await apply({ ...documents, plan: planned.body.plan, reason: 'release 7' });
  expect([applied.status, applied.body.effects.map(({ action }: { action: string }) => action)]).toEqual([
    200,
    ['create', 'create'],
  ]);
  expect(await findTask(db, 'report')).toMatchObject({ source: 'files:shop', version: 1 });
  // The answer was lost: the same body again.
  const again = await apply({ ...documents, plan: planned.body.plan, reason: 'release 7' });
  expect([again.status, again.body]).toEqual([200, { effects: [], unchanged: 2, left: [] }]);
  const { body } = await ask({ path: '/v1/audit', query: { subject: 'task:report' } });
  expect(body.items).toMatchObject([{ action: 'save', reason: 'release 7', principal: { kind: 'token' } }]);
});

test('what has changed since the plan is not written over: 409 says what differs, and nothing is done', async () => {
  const documents = (timeoutMs: number) => ({
    set: 'held',
    prune: true,
    tasks: [task('held-a', { timeoutMs }), task('held-b', { timeoutMs }), task('held-d', { timeoutMs })],
  });
  await apply({ set: 'held', tasks: [task('held-a'), task('held-b'), task('held-c'), task('held-d')] });
  const planned = await plan(documents(2000));
  expect(planned.body.plan).toMatchObject({
    'held-a': { action: 'update', version: 1 },
    'held-c': { action: 'delete', version: 1, definition: null },
  });
  const held = { plan: planned.body.plan };
  const id = (await findTask(db, 'held-b'))?.id;
  await ask({ method: 'PATCH', path: `/v1/tasks/${id}`, body: { timeoutMs: 9000 } });
  const outdated = await apply({ ...documents(2000), ...held });
  expect([outdated.status, outdated.body.code]).toEqual([409, 'plan_outdated']);
  expect(outdated.body.detail).toBe('task held-b has version 2 by now, not 1 as planned; nothing was changed');
  const other = await apply({ ...documents(3000), ...held });
  expect(other.body.detail).toContain('task held-a is to have another definition than was planned');
  const more = documents(2000);
  const added = await apply({ ...more, tasks: [...more.tasks, task('held-e')], ...held });
  expect(added.body.detail).toContain('task held-e is to be created, which was not planned');
  const turned = await apply({ ...more, tasks: [...more.tasks, task('held-c', { timeoutMs: 500 })], ...held });
  expect(turned.body.detail).toContain('task held-c is to be updated, not deleted as planned');
  expect([await versionOf('held-a'), await versionOf('held-c'), await findTask(db, 'held-e')]).toEqual([1, 1, null]);
  const fresh = await plan(documents(2000));
  expect(fresh.body.effects[1]).toMatchObject({ name: 'held-b', undoes: [{ version: 2, fields: ['timeoutMs'] }] });
  expect((await apply({ ...documents(2000), plan: fresh.body.plan })).status).toBe(200);
  expect([await versionOf('held-a'), await versionOf('held-b'), await findTask(db, 'held-c')]).toEqual([2, 3, null]);
});

test('of two who carry out the same plan at once, each change is made once', async () => {
  const documents = { set: 'twice', tasks: [task('twice-a'), task('twice-b')] };
  const { body } = await plan(documents);
  const answers = await Promise.all(Array.from({ length: 4 }, () => apply({ ...documents, plan: body.plan })));
  expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(200);
  expect((await apply({ ...documents, plan: body.plan })).status).toBe(200);
  expect([await versionOf('twice-a'), await versionOf('twice-b')]).toEqual([1, 1]);
});

test('more than half of a set is deleted only by who says how many', async () => {
  const names = ['gone-a', 'gone-b', 'gone-c'];
  await apply({ set: 'gone', tasks: names.map((name) => task(name)) });
  const none = { set: 'gone', tasks: [] };
  expect((await plan(none)).body).toMatchObject({ effects: [], left: names, doubt: null, plan: {} });
  const words = 'pruning deletes 3 of the 3 tasks of the set "gone": gone-a, gone-b, gone-c';
  const planned = await plan({ ...none, prune: true });
  expect(planned.body).toMatchObject({ doubt: words, effects: [{ action: 'delete' }, {}, {}] });
  const { plan: held } = planned.body;
  const refused = await apply({ ...none, prune: true, plan: held });
  expect([refused.status, refused.body]).toMatchObject([
    422,
    {
      code: 'prune_refused',
      detail: `${words}; nothing was changed`,
      fix: 'if that is meant: --allow-prune 3 (allowPrune)',
    },
  ]);
  expect((await apply({ ...none, prune: true, allowPrune: 2 })).body.code).toBe('prune_refused');
  expect(await findTask(db, 'gone-a')).not.toBeNull();
  expect((await apply({ ...none, prune: true, allowPrune: 3, plan: held })).status).toBe(200);
  expect(await findTask(db, 'gone-a')).toBeNull();
});

test('all that is wrong is told with its place, and nothing is written', async () => {
  await saveTask(db, { name: 'coded', handler: { type: 'shell', command: 'true' } }, { source: 'code', by: by('app') });
  const tasks = [
    task('good'),
    task('loop', { onSkip: 'loop' }),
    task('coded'),
    task('good'),
    task('late', { calendars: { exclude: ['holidays-of-nowhere'] } }),
    task('inside', { handler: { type: 'http', url: 'http://127.0.0.1/' } }),
  ];
  const { status, body } = await apply({ set: 'wrong', tasks });
  expect([status, body.code]).toEqual([422, 'tasks_refused']);
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
    ...['tasks.1', 'tasks.2', 'tasks.3', 'tasks.4', 'tasks.5'],
  ]);
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringContaining('loop -> loop'),
    'task coded belongs to code; --adopt (adopt) takes it over',
    'task good is in tasks.0 already',
    expect.stringContaining('holidays-of-nowhere'),
    expect.stringContaining('rule "loopback"'),
  ]);
  expect((await plan({ set: 'wrong', tasks })).body.errors).toEqual(body.errors);
  expect(await findTask(db, 'good')).toBeNull();
  const mistyped = await apply({ tasks: [task('typo', { timoutMs: 5 })] });
  expect([mistyped.status, mistyped.body.errors]).toMatchObject([
    422,
    [{ path: 'tasks.0', message: expect.stringMatching(/^task "typo" is not valid: .*did you mean timeoutMs\?/) }],
  ]);
  expect((await apply({ set: 'wrong', tasks: [task('coded')], adopt: true })).status).toBe(200);
  expect(await findTask(db, 'coded')).toMatchObject({ source: 'files:wrong' });
});

test('a token for some tasks applies those, and is told nothing of others', async () => {
  const labels = { team: 'mail' };
  await apply({ set: 'mixed', tasks: [task('mixed-mail', { labels }), task('mixed-shop')] });
  const scoped = await token({ role: 'editor', scope: 'team=mail' });
  const own = { set: 'mixed', tasks: [task('mixed-mail', { labels, timeoutMs: 3000 })] };
  const applied = await apply(own, scoped);
  expect([applied.status, applied.body.left]).toEqual([200, []]);
  const pruned = await apply({ ...own, prune: true, allowPrune: 1 }, scoped);
  expect([pruned.status, pruned.body.code]).toEqual([403, 'not_allowed']);
  // One of the two it may not save: neither is.
  const both = [task('mixed-mail', { labels, timeoutMs: 4000 }), task('coded', { onSkip: 'coded' })];
  const refused = await apply({ set: 'mixed', tasks: both, adopt: true }, scoped);
  expect([refused.status, refused.text.includes('files:')]).toEqual([403, false]);
  expect(await findTask(db, 'mixed-mail')).toMatchObject({ version: 2, definition: { timeoutMs: 3000 } });
  expect((await plan(own, scoped)).status).toBe(403);
  expect((await apply({ set: 'mixed', tasks: [] }, await token({ role: 'viewer' }))).status).toBe(200);
});

test('tasks of another scheduler keep what it says nothing of; one that is suspended there is paused from its first moment on', async () => {
  const given = { format: 'k8s', set: 'shop', atFirst: [{ timeoutMs: 5000 }], paused: ['kept'] };
  const schedule = { kind: 'every', everyMs: 60_000 };
  expect((await apply({ ...given, tasks: [task('kept', { schedule })] })).status).toBe(200);
  const kept = await findTask(db, 'kept');
  expect(kept).toMatchObject({
    ...{ source: 'k8s:shop', definition: { timeoutMs: 5000 } },
    pauses: [{ untilAt: null, note: 'it was suspended where it comes from' }],
  });
  expect(kept?.pauses[0]?.fromAt).toEqual(kept?.effectiveAt);
  const path = `/v1/tasks/${kept?.id}`;
  await ask({ method: 'PATCH', path, body: { retentionDays: 7, timeoutMs: 6000, schedule: { kind: 'manual' } } });
  await ask({ method: 'POST', path: `${path}/resume`, body: {} });
  await apply({ ...given, tasks: [task('kept', { description: 'said' })] });
  expect(await findTask(db, 'kept')).toMatchObject({
    definition: { description: 'said', retentionDays: 7, timeoutMs: 6000, schedule: { kind: 'manual' } },
    pauses: [],
  });
  const audit = await ask({ path: '/v1/audit', query: { subject: 'task:kept' } });
  const actions: string[] = audit.body.items.map(({ action }: { action: string }) => action);
  expect(actions.filter((action) => action === 'pause')).toHaveLength(1);
});

/** Makes whoever saves a new task of this name wait for the answer's end. */
const nameHeld = (name: string) =>
  lockRows(
    db.url,
    `INSERT INTO task (namespace, name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
     VALUES ('default', $1, '{}', '{"kind": "manual"}', $1, 1, 'skip', 'default', 'x', now())`,
    [name],
  );

/** The second act begins while the first one writes. */
async function raced<Answer>(name: string, first: () => Promise<Answer>, second: () => Promise<Answer>) {
  const held = await nameHeld(name);
  const one = first();
  await held.awaited();
  const other = second();
  const waits = async () =>
    (await db.pool.query('SELECT FROM pg_locks WHERE locktype = $1 AND NOT granted', ['advisory'])).rows.length > 0;
  let done = false;
  const ended = other.then(() => (done = true));
  while (!done && !(await waits())) await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]);
  await held.release();
  return await Promise.all([one, other]);
}

test('two applies of a set at once come one after the other: the set is what the later one says', async () => {
  const set = { set: 'pruned', prune: true };
  const answers = await raced(
    'pruned-a',
    () => apply({ ...set, tasks: [task('pruned-a'), task('pruned-both')] }),
    () => apply({ ...set, allowPrune: 9, tasks: [task('pruned-both'), task('pruned-b')] }),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1].body).toMatchObject({ unchanged: 1, left: ['pruned-a'] });
  expect([await versionOf('pruned-a'), await versionOf('pruned-both'), await versionOf('pruned-b')]).toEqual([
    undefined,
    1,
    1,
  ]);
});

test('of two imports of a crontab at once the later one says that its tasks are there', async () => {
  const crontab = { name: 'raced', timeZone: 'UTC', text: '5 4 * * * /bin/raced-once\n' };
  const preview = await post('/v1/import/crontab/plan', crontab);
  const [name] = preview.body.lines.map((line: { task: string }) => line.task);
  const answers = await raced(
    name,
    () => post('/v1/import/crontab', crontab),
    () => post('/v1/import/crontab', crontab),
  );
  expect(answers.map(({ body }) => body.lines[0].action)).toEqual(['created', 'unchanged']);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
