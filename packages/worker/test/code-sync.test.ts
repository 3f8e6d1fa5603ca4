import type { EngineEvent, TaskInput } from '@escapement/core';
import { deploymentOf, saveTask } from '@escapement/operations';
import {
  auditEntries,
  type Database,
  endProcess,
  findTask,
  openDatabase,
  type ProcessInfo,
  pauseTask,
  registerDeployment,
  resumeTask,
  type Task,
  writeHeartbeat,
} from '@escapement/store';
import { asUser, by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { createCodeSync } from '../src/index.ts';

const { url } = await testDatabase();
const pool = openDatabase({ url, applicationName: 'test' });
const workersDb = openDatabase({ url: asUser(url, 'worker'), applicationName: 'worker' });
afterAll(() => Promise.all([pool.close(), workersDb.close()]));

let names = 0;

/** An application of its own; its workers are passes made by hand. */
function application() {
  const app = `app-${++names}`;
  const name = (task: string) => `${app}-${task}`;
  const code = (task: string, minutes = 60): TaskInput => ({
    name: name(task),
    schedule: { kind: 'every', everyMs: minutes * 60_000 },
    handler: { type: 'code', name: name(task) },
  });
  return {
    app,
    name,
    code,
    worker: (release: string, tasks: TaskInput[], options = {}) => worker({ app, release, tasks, ...options }),
  };
}

let workers = 0;

async function worker({
  whole = true,
  ...code
}: {
  app: string;
  release: string;
  tasks: TaskInput[];
  whole?: boolean;
}) {
  const db: Database = workersDb;
  const events: EngineEvent[] = [];
  const deploymentId = await registerDeployment(db, deploymentOf({ ...code, whole }));
  const id = `worker-${++workers}`;
  const info: ProcessInfo = {
    id,
    role: 'worker',
    host: 'h',
    pid: 1,
    appVersion: '0',
    pools: ['default'],
    deploymentId,
  };
  const life = () => writeHeartbeat(db, info, { activeRuns: [], clockOffsetMs: 0 });
  const sync = createCodeSync({
    db,
    ...code,
    worker: id,
    deploymentId,
    emit: (event) => events.push(event),
    onError: (error) => {
      throw error;
    },
  });
  return {
    events,
    async start() {
      await life();
      await sync.start();
      await sync.stop();
    },
    pass: sync.runOnce,
    shutDown: () => endProcess(db, id),
    /** As if that had happened two minutes ago. */
    async longAgo() {
      await db.pool.query(
        `UPDATE process SET heartbeat_at = now() - interval '2 min', stopped_at = stopped_at - interval '2 min' WHERE id = $1`,
        [id],
      );
    },
  };
}

async function task(name: string): Promise<Task> {
  const found = await findTask(pool, name);
  if (!found) throw new Error(`no task ${name}`);
  return found;
}

const minutesOf = ({ definition: { schedule } }: Task) =>
  schedule.kind === 'every' ? schedule.everyMs / 60_000 : null;
const pausesOf = async (name: string) => (await task(name)).pauses.map(({ note }) => note);

test('a new version is made only where something has changed', async () => {
  const { name, code, worker } = application();
  const first = await worker('1', [code('a'), code('b')]);
  await first.start();
  const second = await worker('2', [code('a'), code('b', 30)]);
  await second.start();
  expect([await task(name('a')), await task(name('b'))]).toMatchObject([{ version: 1 }, { version: 2 }]);
  expect(second.events).toEqual([{ event: 'code_task_saved', task: name('b'), kind: 'updated', version: 2 }]);
});

test('a worker of the older code that starts again does not put its definitions back', async () => {
  const { name, code, worker } = application();
  const old = await worker('1', [code('a')]);
  await old.start();
  await (await worker('2', [code('a', 30)])).start();
  const again = await worker('1', [code('a')]);
  await again.start();
  await old.pass();
  expect(await task(name('a'))).toMatchObject({ version: 2, definition: { schedule: { everyMs: 30 * 60_000 } } });
  expect(again.events).toMatchObject([{ event: 'code_task_yields', why: expect.stringContaining('release 2') }]);
});

test('old code counts again once no worker has newer code for a minute, and at once for a worker that starts after its shutdown', async () => {
  const { name, code, worker } = application();
  const old = await worker('1', [code('a')]);
  await old.start();
  const crashed = await worker('2', [code('a', 30)]);
  await crashed.start();
  await crashed.longAgo();
  await old.pass();
  expect(minutesOf(await task(name('a')))).toBe(60);
  const back = await worker('2', [code('a', 30)]);
  await back.start();
  expect(minutesOf(await task(name('a')))).toBe(30);
  await crashed.shutDown();
  await back.shutDown();
  await old.pass();
  expect(minutesOf(await task(name('a')))).toBe(30);
  await (await worker('1', [code('a')])).start();
  expect(minutesOf(await task(name('a')))).toBe(60);
});

test('a task that left the code is paused when the last worker that has it is gone, and resumes when the code has it again', async () => {
  const { app, name, code, worker } = application();
  const old = await worker('1', [code('a'), code('b')]);
  await old.start();
  const newer = await worker('2', [code('a')]);
  await newer.start();
  await newer.pass();
  expect(await pausesOf(name('b'))).toEqual([]);
  await old.shutDown();
  await newer.pass();
  expect(await pausesOf(name('b'))).toEqual([]);
  await old.longAgo();
  await newer.pass();
  const note = `left the code: release 2 of ${app} has it no more, says worker-\\d+, \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC`;
  expect(await pausesOf(name('b'))).toEqual([expect.stringMatching(new RegExp(`^${note}$`))]);
  expect(newer.events.at(-1)).toEqual({ event: 'code_tasks_left', tasks: [name('b')] });
  expect((await task(name('b'))).version).toBe(1);

  const third = await worker('3', [code('a'), code('b')]);
  await third.start();
  expect(await pausesOf(name('b'))).toEqual([]);
  expect(third.events).toEqual([{ event: 'code_task_saved', task: name('b'), kind: 'resumed', version: 1 }]);
  const actions = await auditEntries(pool, { task: name('b') });
  expect(actions.map(({ principal, action, reason }) => [principal.name, action, reason])).toEqual([
    ['worker', 'resume', 'release 3'],
    ['worker', 'pause', expect.stringContaining(`release 2 of ${app} has it no more`)],
    ['worker', 'save', 'release 1'],
  ]);
});

test("a person's pause is left alone, and so is a person's resuming", async () => {
  const { name, code, worker } = application();
  const old = await worker('1', [code('a'), code('b')]);
  await old.start();
  await pauseTask(pool, { name: name('b'), untilAt: null, by: by('ann', 'until Monday') });
  await old.shutDown();
  const newer = await worker('2', [code('a')]);
  await newer.start();
  expect(await pausesOf(name('b'))).toHaveLength(2);
  await (await worker('3', [code('a'), code('b')])).start();
  expect(await pausesOf(name('b'))).toEqual(['until Monday']);

  const other = application();
  const first = await other.worker('1', [other.code('b')]);
  await first.start();
  await first.shutDown();
  const second = await other.worker('2', []);
  await second.start();
  await resumeTask(pool, other.name('b'), by('ann'));
  await second.pass();
  expect(await pausesOf(other.name('b'))).toEqual([]);
});

test('what could not be loaded has not left the code', async () => {
  const { name, code, worker } = application();
  const old = await worker('1', [code('a'), code('b')]);
  await old.start();
  await old.shutDown();
  await old.longAgo();
  const broken = await worker('2', [code('a')], { whole: false });
  await broken.start();
  await broken.pass();
  expect(await pausesOf(name('b'))).toEqual([]);
});

test('workers of other applications neither pause nor change what is not theirs', async () => {
  const mail = application();
  const invoices = application();
  const one = await mail.worker('1', [mail.code('a')]);
  await one.start();
  await one.shutDown();
  await one.longAgo();
  const two = await invoices.worker('1', [invoices.code('b')]);
  await two.start();
  await two.pass();
  expect(await pausesOf(mail.name('a'))).toEqual([]);
});

test('a task that two applications have otherwise is refused to the second one, until the first has it no more', async () => {
  const { name, code, worker } = application();
  const other = application();
  const owner = await worker('1', [code('a')]);
  await owner.start();
  const rival = await other.worker('1', [code('a', 30)]);
  await rival.start();
  await rival.pass();
  expect(minutesOf(await task(name('a')))).toBe(60);
  expect(rival.events).toMatchObject([
    { event: 'code_task_refused', error: { code: 'task_of_two_apps', message: expect.stringContaining(name('a')) } },
  ]);
  await owner.shutDown();
  await owner.longAgo();
  await rival.pass();
  expect(minutesOf(await task(name('a')))).toBe(30);
});

test('a task of another source is not written over', async () => {
  const { name, code, worker } = application();
  const shell = { type: 'shell', command: 'true' } as const;
  await saveTask(pool, { name: name('a'), handler: shell }, { source: 'crontab:web1', by: by('ann') });
  await saveTask(
    pool,
    { name: name('b'), handler: { type: 'code', name: name('b') } },
    { source: 'files:ops', by: by('ann') },
  );
  const coded = await worker('1', [code('a'), code('b')]);
  await coded.start();
  await coded.pass();
  expect(await task(name('a'))).toMatchObject({ source: 'crontab:web1', version: 1 });
  expect(coded.events).toMatchObject([
    {
      event: 'code_task_refused',
      error: { code: 'task_of_another_source', message: expect.stringContaining('crontab:web1') },
    },
    { event: 'code_task_yields', why: 'it belongs to files:ops, and runs this code' },
  ]);
});

test('what a person edits stays until there is another deployment', async () => {
  const { name, code, worker } = application();
  await (await worker('1', [code('a')])).start();
  await saveTask(pool, code('a', 15), { source: 'code', by: by('ann') });
  await (await worker('1', [code('a')])).start();
  expect(minutesOf(await task(name('a')))).toBe(15);
  await (await worker('2', [code('a')])).start();
  expect(minutesOf(await task(name('a')))).toBe(60);
});

test('workers of two versions that start at once agree on the newer', async () => {
  const { name, code, worker } = application();
  const old = await worker('1', [code('a'), code('b')]);
  const newer = await worker('2', [code('a', 30), code('b', 30)]);
  await Promise.all([old.start(), newer.start()]);
  await Promise.all([old.pass(), newer.pass()]);
  expect(minutesOf(await task(name('a')))).toBe(30);
  expect(minutesOf(await task(name('b')))).toBe(30);
  const { version } = await task(name('a'));
  await Promise.all([old.pass(), newer.pass()]);
  expect((await task(name('a'))).version).toBe(version);
});

test('tasks that follow others are saved first, whatever the order of the code', async () => {
  const of = (name: string) => ({ name, handler: { type: 'code', name } }) as const;
  const { events, start } = await worker({
    app: 'followers',
    release: '1',
    tasks: [
      { ...of('f-import'), then: [{ task: 'f-report' }] },
      { ...of('f-report'), onFailure: 'f-alert' },
      of('f-alert'),
    ],
  });
  await start();
  expect(events.map((event) => [event.event, 'task' in event && event.task])).toEqual([
    ['code_task_saved', 'f-alert'],
    ['code_task_saved', 'f-report'],
    ['code_task_saved', 'f-import'],
  ]);
});
