import { saveTask } from '@escapement/operations';
import { findTask, findTaskChange } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const shell = { type: 'shell', command: 'true' } as const;
const nightly = { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' } as const;

test('a plan shows the fires that move and changes nothing; the edit makes it so; a revert takes it back', async () => {
  await saveTask(db, { name: 'backup', handler: shell, schedule: nightly }, { source: 'cli', by: by('ann') });
  const planned = await run('tasks', 'edit', 'backup', '--cron', '0 5 * * *', '--plan', '--days', '3');
  expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was changed') });
  // The first and the last of the days may have only one of the two fires, depending on when it is.
  expect(planned.stdout).toMatch(
    /^update backup \(schedule\): (1 fire added, 1 removed, 2|[34] fires) moved in the next 3 days\n/,
  );
  expect(planned.stdout).toMatch(/^ {2}~ .* 03:00:00 .* -> .* 05:00:00/m);
  expect((await findTask(db, 'backup'))?.version).toBe(1);
  await run('tasks', 'edit', 'backup', '--cron', '0 5 * * *', '--set', 'retry.maxAttempts=3', '--reason', 'later');
  expect((await findTask(db, 'backup'))?.definition).toMatchObject({
    schedule: { expression: '0 5 * * *', timeZone: 'UTC' },
    retry: { maxAttempts: 3 },
  });
  await run('tasks', 'revert', 'backup', '--to', '1');
  expect(await findTask(db, 'backup')).toMatchObject({ version: 3, definition: { schedule: nightly } });
  expect((await run('tasks', 'history', 'backup')).stdout).toMatch(/3 .*back to version 1/);
});

test('a change for later waits, is shown, and can be dropped', async () => {
  await saveTask(db, { name: 'later', handler: shell }, { source: 'cli', by: by('ann') });
  const { stderr } = await run('tasks', 'edit', 'later', '--set', 'limit=2', '--effective', '2h');
  expect(stderr).toContain('it counts from ');
  expect(await findTaskChange(db, 'later')).toMatchObject({ definition: { limit: 2 } });
  expect((await run('tasks', 'show', 'later')).stdout).toMatch(/changes: +at \d{4}-/);
  await run('tasks', 'edit', 'later', '--drop-pending');
  expect(await findTaskChange(db, 'later')).toBeNull();
});

test('runs that take longer than their interval are warned of', async () => {
  const slow = { name: 'slow', handler: shell, schedule: { kind: 'every', everyMs: 3_600_000 } } as const;
  await saveTask(db, slow, { source: 'cli', by: by('ann') });
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap,
       pool, due_at, attempt, started_at, finished_at)
     SELECT gen_random_uuid(), now() - n * interval '1 hour', 'default', t.id, 1, 1, 'trigger', 'succeeded', 'slow', 1, 'skip',
       'default', now(), 1, now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '90 s'
     FROM task t, generate_series(1, 5) n WHERE t.name = 'slow'`,
  );
  const { stdout } = await run('tasks', 'edit', 'slow', '--set', 'schedule.everyMs=60000', '--plan');
  expect(stdout).toContain('95 % end within 1.5 min, it fires every 1 min');
});

test.each([
  [['nope', '--set', 'limit=2'], 'there is no task "nope"'],
  [['backup'], 'nothing about backup is to be changed'],
  [['backup', '--set', 'limit'], '--set is "limit"'],
  [['backup', '--set', 'limmit=2'], 'did you mean limit?'],
  [['backup', '--set', 'name=other'], 'cannot be changed'],
  [['backup', '--set', 'limit=2', '--effective', '2020-01-01T00:00:00Z'], 'nothing changes retroactively'],
  [['backup', '--cron', '0 0 31 2 *'], '31'],
])('tasks edit %j is answered with what is wrong', async (args, words) => {
  const { code, stderr } = await run('tasks', 'edit', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test('a version that never was is refused', async () => {
  expect(await run('tasks', 'revert', 'backup', '--to', '99')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no version 99'),
  });
});

test('what a pause or a skip keeps from running is not shown as a fire to come', async () => {
  await saveTask(db, { name: 'skipping', handler: shell, schedule: nightly }, { source: 'cli', by: by('ann') });
  const before = JSON.parse((await run('next', '--task', 'skipping', '--count', '3', '-o', 'json')).stdout).next;
  await run('tasks', 'skip', 'skipping', '--next', '2', '--reason', 'freeze');
  const { stdout, stderr } = await run('next', '--task', 'skipping', '--count', '1', '-o', 'json');
  expect(JSON.parse(stdout).next).toMatchObject([{ at: before[2].at }]);
  expect(stderr).toContain('paused: freeze; nothing starts before ');
  await run('tasks', 'resume', 'skipping');
  await run('tasks', 'pause', 'skipping');
  const paused = await run('next', '--task', 'skipping', '--count', '1', '-o', 'json');
  expect(JSON.parse(paused.stdout).next).toMatchObject([{ at: before[0].at }]);
  expect(paused.stderr).toContain('shown as if it were resumed now');
  expect((await run('tasks', 'show', 'skipping')).stdout).toMatch(
    new RegExp(`^paused: +from \\d{4}.* until resumed, by ${WHO};`, 'm'),
  );
});

test('of a schedule that does not fire in the days compared the first fire is told', async () => {
  const schedule = { kind: 'once', at: '2099-01-01T00:00:00Z' } as const;
  await saveTask(db, { name: 'far', handler: shell, schedule }, { source: 'cli', by: by('ann') });
  const { stdout } = await run('tasks', 'edit', 'far', '--set', 'description=x', '--plan', '--days', '1');
  expect(stdout).toContain('update far (description): no fire in the next day, the first one is 2099-01-01');
});

test('--unset of what is not there is refused, with what is meant', async () => {
  const task = { name: 'unset', retry: { maxAttempts: 3 }, handler: { type: 'shell', command: 'true' } } as const;
  await saveTask(db, task, { source: 'cli', by: by('test') });
  for (const [path, words] of [
    ['retyr', 'there is no "retyr" to remove\n  did you mean retry?'],
    ['retry.nothing', 'there is no "nothing" to remove\n  there is maxAttempts'],
    ['name.x', 'there is no "x" to remove\n  it has no fields'],
  ] as const)
    expect(await run('tasks', 'edit', 'unset', '--unset', path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(words),
    });
  expect(await run('tasks', 'edit', 'unset', '--unset', 'retry')).toMatchObject({ code: 0 });
});

test.each([
  ['files:shop', 'apply` of the set "shop" undoes this: change its file as well'],
  ['code', 'the next deployment of its code undoes this: change defineTask as well'],
  ['/etc/crontab', 'the next save of /etc/crontab undoes what it says of the task'],
])('an edit of a task of %s says what will undo it, in a plan too', async (source, words) => {
  const name = `of-${source.replace(/\W/g, '-')}`;
  await saveTask(db, { name, handler: shell, schedule: nightly }, { source, by: by('ann') });
  expect((await run('tasks', 'edit', name, '--set', 'limit=2', '--plan')).stderr).toContain(words);
  expect((await run('tasks', 'edit', name, '--set', 'limit=2')).stderr).toContain(words);
  expect((await run('tasks', 'edit', name, '--set', 'limit=2')).stderr).not.toContain('undoes');
});

test('an edit of a task of nobody else is undone by nobody', async () => {
  await saveTask(db, { name: 'mine', handler: shell }, { source: 'cli', by: by('ann') });
  expect((await run('tasks', 'edit', 'mine', '--set', 'limit=2')).stderr).not.toContain('undoes');
});

test('apply says whose edit it undoes: who, when and what', async () => {
  const { write } = await folder();
  const file = await write('tasks.yaml', 'name: filed\ntimeoutMs: 1000\nhandler: { type: shell, command: "true" }\n');
  await run('apply', '-f', file);
  await run('tasks', 'edit', 'filed', '--set', 'timeoutMs=5000', '--set', 'priority=3', '--reason', 'slow today');
  await run('tasks', 'edit', 'filed', '--set', 'limit=2');
  const edited = /edited at \S+ \(priority, timeoutMs\): "slow today"; version 2 has it$/m;
  const planned = await run('apply', '-f', file, '--plan');
  expect(planned.stdout).toMatch(/^ {2}warning: would undo what \S+ edited at \S+ \(limit\); version 3 has it$/m);
  expect(planned.stdout).toMatch(edited);
  const applied = await run('apply', '-f', file, '-o', 'json');
  expect(JSON.parse(applied.stdout).effects).toMatchObject([
    {
      undoes: [
        { version: 3, fields: ['limit'] },
        { version: 2, fields: ['priority', 'timeoutMs'], note: 'slow today' },
      ],
    },
  ]);
  // What the file itself changes is no edit of anybody.
  await write('tasks.yaml', 'name: filed\ntimeoutMs: 2000\nhandler: { type: shell, command: "true" }\n');
  expect((await run('apply', '-f', file)).stdout).not.toContain('warning');
});
