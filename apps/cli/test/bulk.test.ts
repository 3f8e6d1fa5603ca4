import { createToken, saveTask } from '@escapement/operations';
import { pausedTasks } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { answerRequests } from './answering.ts';
import { apiServer } from './api-server.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
answerRequests(db, env.REDIS_URL);
for (const name of ['one', 'two', 'three'])
  await saveTask(
    db,
    {
      name,
      handler: { type: 'http', url: 'https://shop.example/' },
      labels: { team: name === 'three' ? 'mail' : 'shop' },
    },
    { source: 'cli', by: by('test') },
  );

const run = (...args: string[]) => runCli(args, { env });
const paused = async () => [...(await pausedTasks(db, ['one', 'two', 'three']))].sort();

test('without a terminal it takes --yes, and what would be done is said', async () => {
  const { code, stderr } = await run('tasks', 'pause', '-l', 'team=shop');
  expect(code).toBe(2);
  expect(stderr).toContain(
    '2 tasks would be paused, and there is no terminal to ask at; nothing was changed\n  give --yes',
  );
  const planned = await run('tasks', 'pause', '-l', 'team=shop', '--dry-run');
  expect(planned).toMatchObject({ code: 0, stdout: 'TASK\none\ntwo\n' });
  expect(planned.stderr).toBe('2 tasks would be paused; nothing was changed\n');
  expect(await paused()).toEqual([]);
});

test('at a terminal the count is said first, and what is not a yes changes nothing', async () => {
  const asked: string[] = [];
  const answer = (yes: boolean) => async (question: string) => {
    asked.push(question);
    return yes;
  };
  const args = ['tasks', 'pause', '-l', 'team=shop', '--reason', 'stocktaking'];
  const no = await runCli(args, { env, confirm: answer(false) });
  expect(no).toMatchObject({ code: 2, stderr: 'one\ntwo\nerror: nothing was changed\n' });
  expect(await paused()).toEqual([]);
  const yes = await runCli(args, { env, confirm: answer(true) });
  expect(yes).toMatchObject({ code: 0, stdout: '2 tasks paused\n' });
  expect(asked).toEqual(Array.from({ length: 2 }, () => '2 tasks would be paused. Go on? [y/N] '));
  expect(await paused()).toEqual(['one', 'two']);
});

test('tasks are resumed and triggered by labels, and their runs cancelled', async () => {
  expect((await run('tasks', 'resume', '-l', 'team=shop|mail', '-y')).stdout).toBe('2 tasks resumed\n');
  expect(await paused()).toEqual([]);
  expect((await run('tasks', 'trigger', '-l', 'team=shop', '-y')).stdout).toBe('2 tasks triggered\n');
  await run('tasks', 'trigger', 'three');
  expect((await run('runs', 'cancel', '-l', 'team=shop', '-y')).stdout).toBe('2 runs cancelled\n');
  expect((await run('runs', 'rerun', '-l', 'team=shop', '-y')).stdout).toBe('2 runs rerun\n');
  expect(JSON.parse((await run('audit', 'log', '-o', 'json', '--limit', '4')).stdout)).toMatchObject([
    { action: 'ask', detail: { kind: 'trigger_tasks', labels: 'team=shop', tasks: 2 } },
    { action: 'trigger', subject: 'task:three' },
    { action: 'ask', detail: { kind: 'cancel_runs' } },
    { action: 'ask', detail: { kind: 'rerun_runs' } },
  ]);
});

test.each([
  [['pause'], /it is not said which tasks/],
  [['pause', 'one', '-l', 'team=shop'], /the task one is named, and --label given/],
  [['resume', 'one', '--dry-run'], /--dry-run goes with --label/],
  [['trigger', '-l', 'team=shop', '--wait'], /--wait is for one task/],
  [['trigger', '-l', 'team=shop', '--payload', '1'], /--payload is for one task/],
  [['pause', '-l', 'team=none', '-y'], /no task has the labels team=none/],
  [['pause', '-l', 'team=shop', '--until', '2020-01-01', '-y'], /which has passed/],
])('tasks %j is refused', async (args, message) => {
  expect(await run('tasks', ...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('what an act was done to is listed, with the runs that were made', async () => {
  const triggered = JSON.parse((await run('tasks', 'trigger', '-l', 'team=shop', '-y', '-o', 'json')).stdout);
  const { code, stdout } = await run('requests', 'show', triggered.request, '--results', '-o', 'json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      request: triggered.request,
      // A few are done at once.
      items: expect.arrayContaining(
        ['one', 'two'].map((taskName) =>
          expect.objectContaining({ taskName, runId: null, newRunId: expect.any(String) }),
        ),
      ),
      counts: { done: 2 },
    },
  ]);
  const table = await run('requests', 'show', triggered.request, '--results', '--wait');
  expect(table.stdout).toMatch(/^AT +TASK +RUN +OUTCOME +NEW RUN\n(.* (one|two) +- +done +[0-9a-f-]{36}\n){2}$/);
});

test('a token with a scope follows the act that it started, and sees its backfills', async () => {
  const { url } = await apiServer(db, 'scoped');
  const { token } = await createToken(db, { name: 'of-mail', role: 'operator', scope: 'team=mail' }, by('test'));
  const scoped = (...args: string[]) => runCli(args, { env: { ESCAPEMENT_URL: url, ESCAPEMENT_TOKEN: token } });
  const paused = await scoped('tasks', 'pause', '-l', 'team=mail', '-y');
  expect([paused.code, paused.stdout]).toEqual([0, '1 task paused\n']);
  const listed = await scoped('requests', 'list', '-o', 'json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ request: { kind: 'pause_tasks', tasks: ['three'] } }]);
  expect(await scoped('backfill', 'list')).toMatchObject({ code: 0, stderr: 'there are no backfills\n' });
});
