import { MINUTE, systemClock, type TaskInput } from '@escapement/core';
import { deleteTask, pauseTask, renameTask, saveTask, triggerTask, verifyLedger } from '@escapement/operations';
import { auditEntries, findTask, formerNames, listRuns, readTaskState, taskHistory } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const { db } = fleet;
let handle: () => Promise<void> | void = () => undefined;
await fleet.startWorker(async ({ state }) => {
  await handle();
  const value = { count: (state?.value as { count?: number } | undefined)?.count ?? 0 };
  const effects = state && { state: { value: { count: value.count + 1 }, version: state.version, shape: 1 } };
  return { status: 'succeeded', ...(effects ? { effects } : {}) };
});

const ANN = by('ann', 'the shop has another name');
const rename = (name: string, to: string) => renameTask(db, name, to, { by: ANN });

/** Triggers a task, under whatever name, and waits until its run has ended. */
async function run(name: string, present = name): Promise<string> {
  const ended = fleet.event('run_finished', ({ task }) => task === present);
  const id = await triggerTask(db, name, { by: by('test') });
  await fleet.dispatcher.runOnce();
  await ended;
  return id;
}

const runsOf = async (taskName: string) => (await listRuns(db, { taskName, limit: 100 })).map(({ id }) => id);
const stateOf = async (name: string, key: string) => await readTaskState(db, (await findTask(db, name))?.id ?? '', key);
const save = async (input: Partial<TaskInput> & { name: string }, source = 'cli') =>
  await saveTask(db, { handler: { type: 'shell', command: 'true' }, ...input }, { source, by: by('test') });

it('a task that is renamed keeps its runs, versions, pauses, key and state', async () => {
  await save({ name: 'shop-a', state: {}, rate: { limit: 5, perMs: 1000 } });
  const before = await run('shop-a');
  await pauseTask(db, 'shop-a', null, by('ann'));
  expect(await rename('shop-a', 'shop-b')).toBe(2);
  const after = await run('shop-b');
  expect(await runsOf('shop-b')).toEqual([after, before]);
  expect(await runsOf('shop-a')).toEqual([]);
  const task = await findTask(db, 'shop-b');
  expect(task).toMatchObject({ formerNames: ['shop-a'], pauses: [{ createdBy: 'ann' }], source: 'cli' });
  expect(task?.definition).toMatchObject({
    name: 'shop-b',
    key: 'shop-a',
    rate: { limit: 5, perMs: 1000, key: 'shop-a' },
  });
  expect(await findTask(db, 'shop-a')).toBeNull();
  expect((await stateOf('shop-b', 'shop-a')).value).toEqual({ count: 2 });
  expect(await taskHistory(db, 'shop-b')).toMatchObject([
    { version: 2, note: 'the shop has another name' },
    { version: 1 },
  ]);
  const entries = (await auditEntries(db, { task: 'shop-b' })).filter(({ action }) => action !== 'trigger');
  expect(entries.map(({ action, detail }) => ({ action, detail }))).toEqual([
    { action: 'rename', detail: { from: 'shop-a', source: 'cli', version: 2 } },
  ]);
});

it('a run that is under way ends, and the next one waits for it', async () => {
  await save({ name: 'long-a', state: {}, overlap: { policy: 'wait-all' } });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  handle = async () => {
    begun();
    await held;
  };
  const first = await triggerTask(db, 'long-a', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await running;
  await rename('long-a', 'long-b');
  handle = () => undefined;
  const waits = fleet.event('run_waiting', ({ task }) => task === 'long-b');
  const ended = fleet.event('run_finished', (event) => event.task === 'long-b' && event.run !== first);
  const second = await triggerTask(db, 'long-b', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await waits;
  release();
  await ended;
  expect(await listRuns(db, { taskName: 'long-b', limit: 10 })).toMatchObject([
    { id: second, state: 'succeeded' },
    { id: first, state: 'succeeded' },
  ]);
  expect((await stateOf('long-b', 'long-a')).value).toEqual({ count: 2 });
});

it('what follows runs, and who triggers, still finds it by the old name', async () => {
  await save({ name: 'report-a' });
  await save({ name: 'import', then: [{ task: 'report-a' }] });
  await rename('report-a', 'report-b');
  const reported = fleet.event('run_finished', ({ task }) => task === 'report-b');
  await run('import');
  await reported;
  await run('report-a', 'report-b');
  expect(await runsOf('report-b')).toHaveLength(2);
  // The task that names it can be saved as it is, and keeps it from being deleted.
  await save({ name: 'import', description: 'edited', then: [{ task: 'report-a' }] });
  await expect(deleteTask(db, 'report-b', by('ann'))).rejects.toMatchObject({ code: 'task_is_named' });
  await expect(save({ name: 'report-b', then: [{ task: 'import' }] })).rejects.toMatchObject({ code: 'follow_cycle' });
  // A new task of the old name is another one.
  await save({ name: 'report-a' });
  expect(await formerNames(db, ['report-a'])).toEqual(new Map());
  await run('report-a');
  expect(await runsOf('report-b')).toHaveLength(2);
});

it('names that are taken, tasks of code and tasks with a change to come are refused', async () => {
  for (const name of ['here', 'there', 'gone', 'changes']) await save({ name });
  await save({ name: 'coded' }, 'code');
  await deleteTask(db, 'gone', by('ann'));
  await saveTask(
    db,
    { name: 'changes', handler: { type: 'shell', command: 'false' } },
    { source: 'cli', by: by('test'), effectiveAt: new Date(systemClock.now().getTime() + 60 * MINUTE) },
  );
  await expect(rename('here', 'there')).rejects.toMatchObject({ code: 'task_exists' });
  await expect(rename('here', 'gone')).rejects.toMatchObject({ code: 'name_taken' });
  await expect(rename('here', 'here')).rejects.toMatchObject({ code: 'nothing_to_edit' });
  await expect(rename('here', 'a b')).rejects.toMatchObject({ code: 'bad_task' });
  await expect(rename('none', 'new')).rejects.toMatchObject({ code: 'unknown_task' });
  await expect(rename('coded', 'new')).rejects.toMatchObject({ code: 'task_of_code' });
  await expect(rename('changes', 'new')).rejects.toMatchObject({ code: 'change_waits' });
  await expect(rename('here', 'new')).resolves.toBe(2);
  await expect(rename('here', 'newer')).rejects.toMatchObject({ code: 'unknown_task', fix: 'it is called new now' });
});

it('two who rename at once: one of them does', async () => {
  await save({ name: 'raced' });
  const results = await Promise.allSettled([rename('raced', 'raced-1'), rename('raced', 'raced-2')]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('the ledger has no gap by a rename, also where occurrences are spread by the name', async () => {
  await save({ name: 'spread-a', schedule: { kind: 'cron', expression: 'H/5 * * * * *', timeZone: 'UTC' } });
  await fleet.planner.runOnce();
  await rename('spread-a', 'spread-b');
  await fleet.planner.runOnce();
  const found: unknown[] = [];
  const now = systemClock.now().getTime();
  await verifyLedger(db, {
    from: new Date(now - MINUTE),
    to: new Date(now + MINUTE),
    task: 'spread-b',
    onFinding: (finding) => found.push(finding),
  });
  expect(found).toEqual([]);
});
