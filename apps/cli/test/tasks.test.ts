import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();

await saveTask(
  db,
  {
    name: 'nightly',
    description: 'Backs up',
    schedule: { kind: 'cron', expression: '0 3 * * *', timeZone: 'Europe/Berlin' },
    handler: { type: 'shell', command: 'true' },
    payload: { a: 1 },
    labels: { team: 'shop', env: 'prod' },
  },
  { source: 'cli', by: by('test') },
);
await saveTask(
  db,
  { name: 'by-hand', handler: { type: 'shell', command: 'true' }, key: 'k:{{payload.day}}' },
  { source: 'code', by: by('test') },
);

const run = (...args: string[]) => runCli(args, { env });
const json = async (...args: string[]) => JSON.parse((await run(...args, '-o', 'json')).stdout);

test('tasks are listed with schedule, zone and next run', async () => {
  const { stdout } = await run('tasks', 'list');
  expect(stdout).toMatch(/^NAME +SCHEDULE +ZONE +NEXT RUN/);
  expect(stdout).toMatch(
    /^nightly +at 03:00 every day +Europe\/Berlin +\d{4}-\d\d-\d\d 03:00:00 \+0[12]:00 \(in .*\) +- +shell +default +cli +active$/m,
  );
  expect(stdout).toMatch(/^by-hand +by hand +- /m);
  expect(await json('tasks', 'list', '--source', 'code')).toMatchObject([{ name: 'by-hand', meaning: 'by hand' }]);
});

test('tasks are chosen by their labels', async () => {
  expect(await json('tasks', 'list', '--label', 'team=shop,env=test|prod')).toMatchObject([{ name: 'nightly' }]);
  expect((await run('tasks', 'list', '--label', 'team=mail')).stderr).toBe('no task has these labels\n');
  expect(await run('tasks', 'list', '--label', 'team!=mail')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"team!=mail" selects no labels\n  give terms such as team=shop'),
  });
  expect((await run('tasks', 'show', 'nightly')).stdout).toMatch(/^labels: +env=prod, team=shop$/m);
});

test('a task is shown with its whole definition', async () => {
  const { stdout } = await run('tasks', 'show', 'nightly');
  expect(stdout).toMatch(/^description: +Backs up$/m);
  expect(stdout).toContain('"expression": "0 3 * * *"');
  expect(await json('tasks', 'show', 'nightly')).toMatchObject({ name: 'nightly', definition: { payload: { a: 1 } } });
});

test('an unknown task is answered with the nearest', async () => {
  expect(await run('tasks', 'show', 'nightl')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean nightly?'),
  });
});

test('a task is paused, shown as paused, and resumed', async () => {
  expect(await run('tasks', 'pause', 'nightly', '--reason', 'moving house', '--until', '2h')).toMatchObject({
    code: 0,
  });
  expect((await run('tasks', 'list')).stdout).toMatch(/^nightly .* paused until .*: moving house$/m);
  expect((await run('tasks', 'resume', 'nightly')).stdout).toBe('nightly is active again (1 pause ended)\n');
  expect((await run('tasks', 'resume', 'nightly')).stdout).toBe('nightly was not paused\n');
});

test('a trigger prints the id of the run, which is in the ledger with who asked, the payload and the key', async () => {
  const { code, stdout } = await run('tasks', 'trigger', 'nightly', '--payload', '{"b":2}', '--key', 'b:{{payload.b}}');
  expect(code).toBe(0);
  expect(await json('runs', 'show', stdout.trim())).toMatchObject({
    taskName: 'nightly',
    origin: 'trigger',
    state: 'planned',
    payload: { b: 2 },
    key: 'b:2',
    requestedBy: expect.stringMatching(WHO),
  });
});

test.each([
  ['{"__proto__": {}}', /__proto__/],
  ['"\\u0000"', /NUL/],
  [JSON.stringify('x'.repeat(65 * 1024)), /at most 65536 bytes/],
  ['{}', /day/],
])('the payload %.30s is refused', async (payload, message) => {
  const { code, stderr } = await run('tasks', 'trigger', 'by-hand', '--payload', payload);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('statistics of a task that never ran are zero', async () => {
  expect(await json('tasks', 'stats', 'by-hand')).toMatchObject({
    tasks: [{ name: 'by-hand', count: 0, p50Ms: null, lastError: null }],
  });
  expect((await run('tasks', 'stats')).stdout).toMatch(/^nightly +1 +0 +0 +0 +1 +- +- +-$/m);
});

test('a deleted task is gone, its runs are not', async () => {
  expect((await run('tasks', 'delete', 'nightly')).code).toBe(0);
  expect((await run('tasks', 'show', 'nightly')).code).toBe(2);
  expect(await json('runs', 'list', '--task', 'nightly')).toHaveLength(1);
});
