import { type TaskInput, taskDefinition } from '@escapement/core';
import { by, lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { deleteTask, findTask, putTaskChange, saveTask, type TaskSave } from '../src/index.ts';
import { ago, MINUTE, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const BEGIN = ago(60 * MINUTE);
const EDIT = ago(10 * MINUTE);
const NEXT = ago(-10 * MINUTE);

const definitionOf = (input: Partial<TaskInput> & { name: string }) =>
  taskDefinition.parse({
    schedule: { kind: 'every', everyMs: MINUTE },
    handler: { type: 'shell', command: 'true' },
    ...input,
  });

/** Saves a new task, if nothing else is said. */
function save(input: Partial<TaskInput> & { name: string }, more: Partial<TaskSave> = {}, db = one) {
  const definition = definitionOf(input);
  return saveTask(db, {
    definition,
    schedule: definition.schedule,
    keyTemplate: definition.key ?? definition.name,
    source: 'cli',
    by: by('ann', 'as agreed'),
    redacted: { before: null, after: null },
    expectedPlanSeq: null,
    effectiveAt: BEGIN,
    nextRunAt: NEXT,
    ...more,
  });
}

async function made(name: string, more: Partial<TaskSave> = {}, db = one): Promise<string> {
  const saved = await save({ name }, more, db);
  if (!saved) throw new Error('no fixture');
  return saved.id;
}

/** The row of a task with that of its plan. */
async function rowOf(id: string) {
  const { rows } = await one.pool.query(
    `SELECT t.name, t.version, t.plan_epoch, t.former_names, t.deleted_at, t.effective_at, t.definition->>'description' AS description,
       p.plan_seq, p.next_run_at, p.planned_runs, p.plan_after, p.plan_error, p.plan_failures
     FROM task t JOIN task_plan p ON p.task_id = t.id WHERE t.id = $1`,
    [id],
  );
  return rows[0];
}

const setPlan = (id: string, columns: string) =>
  one.pool.query(`UPDATE task_plan SET ${columns} WHERE task_id = $1`, [id]);
const FAILING = `plan_after = now() + interval '1 h', plan_error = 'no such zone', plan_failures = 3, planned_runs = 5`;
const MENDED = { plan_after: null, plan_error: null, plan_failures: 0 };

async function versionsOf(id: string) {
  const { rows } = await one.pool.query(
    'SELECT version, created_by, edited, note, effective_at, ended_at FROM task_version WHERE task_id = $1 ORDER BY version',
    [id],
  );
  return rows;
}

async function auditOf(name: string) {
  const { rows } = await one.pool.query(
    'SELECT action, detail, before, after FROM audit WHERE subject = $1 ORDER BY id',
    [`task:${name}`],
  );
  return rows;
}

/** Keeps a change of a task that is to come. */
const change = (name: string, db = one) =>
  putTaskChange(db, {
    definition: definitionOf({ name }),
    redacted: {},
    effectiveAt: NEXT,
    source: 'cli',
    basedOn: 1,
    by: by('ann'),
  });

it('a new task has a first version, a plan, and an entry of the audit', async () => {
  const id = await made('new', { redacted: { before: null, after: { shown: true } } });
  expect(await rowOf(id)).toMatchObject({
    ...{ version: 1, plan_epoch: 1, former_names: [], deleted_at: null, effective_at: BEGIN },
    ...{ plan_seq: 0, next_run_at: NEXT, planned_runs: 0 },
  });
  expect(await versionsOf(id)).toEqual([
    { version: 1, created_by: 'ann', edited: false, note: 'as agreed', effective_at: BEGIN, ended_at: null },
  ]);
  expect(await auditOf('new')).toEqual([
    { action: 'save', detail: { version: 1, source: 'cli' }, before: null, after: { shown: true } },
  ]);
  expect((await findTask(one, 'new'))?.pauses).toEqual([]);
});

it('a new task may be paused from its first moment on', async () => {
  await made('paused-at-first', { pausedNote: 'not yet' });
  expect((await findTask(one, 'paused-at-first'))?.pauses).toMatchObject([
    { fromAt: BEGIN, untilAt: null, note: 'not yet', createdBy: 'ann', runId: null },
  ]);
  expect((await auditOf('paused-at-first')).map(({ action }) => action).toSorted()).toEqual(['pause', 'save']);
});

it('a task is new only where there is none of its name, but for a deleted one, which it takes the place of', async () => {
  const id = await made('again');
  await made('again', {}, other);
  expect(await save({ name: 'again', description: 'twice' })).toBeNull();
  expect(await rowOf(id)).toMatchObject({ version: 1, description: null, plan_seq: 0 });
  await setPlan(id, FAILING);
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id]);
  expect(await save({ name: 'again', description: 'twice' }, { effectiveAt: EDIT })).toEqual({ id, version: 2 });
  expect(await rowOf(id)).toMatchObject({
    ...{ version: 2, plan_epoch: 2, description: 'twice', deleted_at: null, effective_at: EDIT },
    ...{ plan_seq: 1, planned_runs: 0, next_run_at: NEXT, ...MENDED },
  });
});

it('an edit makes the next version, of this task alone', async () => {
  const [id, beside] = [await made('edited'), await made('edited-beside')];
  const before = await rowOf(beside);
  await setPlan(id, FAILING);
  const edit = {
    expectedPlanSeq: 0,
    effectiveAt: EDIT,
    nextRunAt: null,
    edited: true,
    redacted: { before: { a: 1 }, after: { a: 2 } },
  };
  expect(await save({ name: 'edited', description: 'twice' }, edit)).toEqual({ id, version: 2 });
  expect(await rowOf(id)).toMatchObject({
    ...{ version: 2, plan_epoch: 2, description: 'twice', former_names: [], effective_at: EDIT },
    ...{ plan_seq: 1, next_run_at: null, planned_runs: 0, ...MENDED },
  });
  expect(await versionsOf(id)).toMatchObject([
    { version: 1, edited: false, ended_at: EDIT },
    { version: 2, edited: true, effective_at: EDIT, ended_at: null },
  ]);
  expect((await auditOf('edited')).at(-1)).toEqual({
    action: 'save',
    detail: { version: 2, source: 'cli' },
    before: { a: 1 },
    after: { a: 2 },
  });
  expect(await rowOf(beside)).toEqual(before);
  expect(await versionsOf(beside)).toMatchObject([{ ended_at: null }]);
});

it('a version that has ended keeps its end, one that was to end later ends with the edit', async () => {
  const id = await made('ends');
  const earlier = ago(30 * MINUTE);
  await save({ name: 'ends' }, { expectedPlanSeq: 0, effectiveAt: earlier });
  await save({ name: 'ends' }, { expectedPlanSeq: 1, effectiveAt: NEXT });
  await save({ name: 'ends' }, { expectedPlanSeq: 2, effectiveAt: EDIT });
  const ends = (await versionsOf(id)).map(({ ended_at }) => ended_at);
  // The third was to be in force from `NEXT` on, and never was.
  expect(ends).toEqual([earlier, EDIT, NEXT, null]);
});

it.each([
  ['it has changed since it was read', (id: string) => setPlan(id, 'plan_seq = 1')],
  ['it was deleted', (id: string) => one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id])],
  [
    'it is of another namespace',
    async (id: string) => {
      for (const [table, column] of [
        ['task', 'id'],
        ['task_plan', 'task_id'],
      ])
        await one.pool.query(`UPDATE ${table} SET namespace = 'other' WHERE ${column} = $1`, [id]);
    },
  ],
])('a task is neither edited nor deleted where %s', async (why, change) => {
  const name = why.replaceAll(' ', '-');
  const id = await made(name);
  await change(id);
  const before = await rowOf(id);
  expect(await save({ name }, { expectedPlanSeq: 0, effectiveAt: EDIT })).toBeNull();
  expect(await save({ name: 'renamed' }, { expectedPlanSeq: 0, effectiveAt: EDIT, renamedFrom: name })).toBeNull();
  expect(await deleteTask(one, name, by('ann'), { planSeq: 0, at: EDIT })).toBe(false);
  expect(await rowOf(id)).toEqual(before);
  expect(await versionsOf(id)).toMatchObject([{ version: 1, ended_at: null }]);
});

it('of two edits of the same state, one is made', async () => {
  const id = await made('raced');
  const held = await lockRows(one.url, 'SELECT FROM task_plan WHERE task_id = $1 FOR UPDATE', [id]);
  const edit = (db: typeof one) => save({ name: 'raced' }, { expectedPlanSeq: 0, effectiveAt: EDIT }, db);
  const edits = Promise.all([edit(one), edit(two)]);
  await held.awaited(2);
  await held.commit();
  expect((await edits).filter((saved) => saved !== null)).toEqual([{ id, version: 2 }]);
});

const rename = (from: string, to: string, db = one) =>
  save({ name: to, key: from }, { expectedPlanSeq: 0, effectiveAt: EDIT, renamedFrom: from }, db);

it('a task that is renamed keeps its former names, the latest first', async () => {
  const [id, beside] = [await made('former-a'), await made('former-beside')];
  await setPlan(id, FAILING);
  expect(await rename('former-a', 'former-b')).toEqual({ id, version: 2 });
  expect(await rowOf(id)).toMatchObject({
    ...{ name: 'former-b', former_names: ['former-a'], version: 2, plan_epoch: 2, plan_seq: 1, ...MENDED },
  });
  const again = { expectedPlanSeq: 1, effectiveAt: EDIT, renamedFrom: 'former-b' };
  await save({ name: 'former-c' }, again);
  expect(await rowOf(id)).toMatchObject({ name: 'former-c', former_names: ['former-b', 'former-a'] });
  await save({ name: 'former-a' }, { ...again, expectedPlanSeq: 2, renamedFrom: 'former-c' });
  expect(await rowOf(id)).toMatchObject({ name: 'former-a', former_names: ['former-c', 'former-b'] });
  expect(await rowOf(beside)).toMatchObject({ name: 'former-beside', version: 1, former_names: [], plan_seq: 0 });
  expect((await auditOf('former-b')).at(-1)).toMatchObject({
    action: 'rename',
    detail: { from: 'former-a', source: 'cli', version: 2 },
  });
});

it('a former name that is given up by another task is the renamed one’s', async () => {
  const [first, elsewhere] = [await made('shared-a'), await made('shared-a', {}, other)];
  await rename('shared-a', 'shared-b');
  await rename('shared-a', 'shared-b', other);
  const second = await made('shared-a');
  await one.pool.query(`UPDATE task SET former_names = '{shared-a,shared-x}' WHERE id = ANY ($1)`, [
    [first, elsewhere],
  ]);
  await rename('shared-a', 'shared-c');
  expect(await rowOf(first)).toMatchObject({ former_names: ['shared-x'] });
  expect(await rowOf(second)).toMatchObject({ former_names: ['shared-a'] });
  expect(await rowOf(elsewhere)).toMatchObject({ former_names: ['shared-a', 'shared-x'] });
});

it.each<[string, (from: string, to: string) => Promise<unknown>, boolean]>([
  ['is that of a task', (_, to) => made(to), false],
  [
    'was that of a task that is deleted',
    async (_, to) => {
      const id = await made(to);
      await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id]);
    },
    false,
  ],
  ['is that of a task in another namespace', (_, to) => made(to, {}, other), true],
  ['is that of a change to come', (_, to) => change(to), false],
  ['takes the place of one that has a change to come', (from) => change(from), false],
  ['is beside other changes to come', () => change('some-other'), true],
  ['is that of a change to come in another namespace', (_, to) => change(to, other), true],
])('whether a task may be renamed: the new name %s', async (why, prepare, may) => {
  const name = why.replaceAll(' ', '-');
  const id = await made(name);
  await prepare(name, `${name}-new`);
  const before = await rowOf(id);
  expect(await rename(name, `${name}-new`)).toEqual(may ? { id, version: 2 } : null);
  if (!may) expect(await rowOf(id)).toEqual(before);
});

it('a task is deleted alone: with its plan, its last version, and the change that it has waiting', async () => {
  const [id, beside] = [await made('deleted'), await made('deleted-beside')];
  await save({ name: 'deleted' }, { expectedPlanSeq: 0, effectiveAt: ago(30 * MINUTE) });
  await setPlan(id, FAILING);
  for (const name of ['deleted', 'deleted-beside']) await change(name);
  await change('deleted', other);
  const before = await rowOf(beside);
  expect(await deleteTask(one, 'deleted', by('ann'), { planSeq: 1, at: EDIT })).toBe(true);
  expect(await rowOf(id)).toMatchObject({
    ...{ plan_epoch: 3, deleted_at: expect.any(Date), effective_at: EDIT },
    ...{ plan_seq: 2, next_run_at: null, ...MENDED },
  });
  expect(await versionsOf(id)).toMatchObject([{ ended_at: expect.any(Date) }, { ended_at: EDIT }]);
  expect(await rowOf(beside)).toEqual(before);
  const { rows } = await one.pool.query(
    `SELECT namespace, name FROM task_change WHERE name LIKE 'deleted%' ORDER BY 1, 2`,
  );
  expect(rows).toEqual([
    { namespace: 'default', name: 'deleted-beside' },
    { namespace: 'other', name: 'deleted' },
  ]);
  expect((await auditOf('deleted')).at(-1)).toMatchObject({ action: 'delete' });
});
