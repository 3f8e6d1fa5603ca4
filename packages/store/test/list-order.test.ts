import { newRunId } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { countRuns, listRuns, type RunFilter } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const RUNNING = { state: 'running', worker: 'w', started_at: ago(0), fence: 1, attempt: 1 };
const ENDED = { finished_at: ago(0), reason: 'x' };

/** A run of a task, which is scheduled for then. */
async function aRun(db: typeof one, taskId: string, at: Date, columns: Record<string, unknown>): Promise<string> {
  const id = newRunId(at);
  const row = {
    ...{ id, scheduled_for: at, namespace: db.namespace, task_id: taskId, task_version: 1, plan_epoch: 1 },
    ...{ origin: 'trigger', key: 'k', key_limit: 1, overlap: 'skip', pool: 'p', due_at: at, ...columns },
  };
  const names = Object.keys(row);
  await db.pool.query(
    `INSERT INTO run (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
  return id;
}

const [task, beside, elsewhere] = [
  await makeTask(one, { name: 'task' }),
  await makeTask(one, { name: 'beside' }),
  await makeTask(other, { name: 'task' }),
];
const SAME = ago(10 * MINUTE);
/** Of one instant, the latest id first. */
const together: string[] = [];
for (const state of ['failed', 'missed', 'skipped', 'failed'])
  together.push(await aRun(one, task, SAME, { state, ...ENDED }));
together.sort().reverse();
const later = await aRun(one, task, ago(5 * MINUTE), { state: 'failed', ...ENDED });
const earlier = await aRun(one, task, ago(15 * MINUTE), { state: 'missed', ...ENDED });
const ofBeside = await aRun(one, beside, ago(20 * MINUTE), { state: 'queued' });
await aRun(other, elsewhere, ago(MINUTE), { state: 'queued' });
await aRun(other, elsewhere, ago(MINUTE), RUNNING);
await aRun(other, elsewhere, ago(MINUTE), { state: 'failed', ...ENDED });
const ALL = [later, ...together, earlier, ofBeside];

const ids = async (filter: RunFilter, db = one) => (await listRuns(db, filter)).map(({ id }) => id);
const STATES: RunFilter['states'] = ['failed', 'missed', 'skipped', 'queued'];

it.each<[string, Omit<RunFilter, 'limit'>]>([
  ['of any task', {}],
  ['of tasks like these', { tasksLike: ['task', 'bes*'] }],
  ['of these states', { states: STATES }],
  ['of a key', { key: 'k' }],
  ['of an origin', { origins: ['trigger'] }],
])('runs %s come the latest first, by their ids where they are of one instant, page by page', async (_, filter) => {
  expect(await ids({ ...filter, limit: 20 })).toEqual(ALL);
  const paged: string[] = [];
  for (let before: string | undefined; paged.length < ALL.length; before = paged.at(-1)) {
    const page = await ids({ ...filter, limit: 1, ...(before ? { before } : {}) });
    expect(page).toHaveLength(1);
    paged.push(...page);
  }
  expect(paged).toEqual(ALL);
  expect(await ids({ ...filter, limit: 1, before: ofBeside })).toEqual([]);
});

it.each<[string, Omit<RunFilter, 'limit'>]>([
  ['by its name', { taskName: 'beside' }],
  ['by what its name is like', { tasksLike: ['bes*'] }],
  ['by its name, of some states', { taskName: 'beside', states: STATES }],
  ['by its name, of an origin', { taskName: 'beside', origins: ['trigger'] }],
])('the runs of a task are found %s, and no others', async (_, filter) => {
  expect(await ids({ ...filter, limit: 20 })).toEqual([ofBeside]);
});

it('a namespace has its own runs', async () => {
  expect(await ids({ limit: 20 }, other)).toHaveLength(3);
  expect(await ids({ limit: 20 }, { ...one, namespace: 'nobody' })).toEqual([]);
});

it('the runs of a namespace are counted by state', async () => {
  const states = ['queued', 'running', 'planned', 'failed', 'missed', 'succeeded'] as const;
  const count = async (filter: object) => Object.fromEntries(await countRuns(one, { limit: 20, ...filter }, states));
  expect(await count({})).toMatchObject({ queued: 1, failed: 3, missed: 2, succeeded: 0 });
  expect((await countRuns(one, { limit: 20 }, ['running'])).get('running') ?? 0).toBe(0);
  expect(await count({ taskName: 'beside' })).toMatchObject({ queued: 1, failed: 0, missed: 0 });
  expect(await count({ tasksLike: ['task'] })).not.toHaveProperty('queued');
});
