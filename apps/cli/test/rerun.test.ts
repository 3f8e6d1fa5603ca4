import { requestCancel } from '@escapement/store';
import { by, finishedRun, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { answerRequests } from './answering.ts';
import { cliDatabase, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
answerRequests(db, env.REDIS_URL ?? '');
const run = (...args: string[]) => runCli(args, { env });
const UUID = '019b0000-0000-7000-8000-000000000001';

test('a failed run is run again by a new one, which names it; both show who wanted it', async () => {
  const id = await finishedRun(db, 'again');
  const { code, stdout } = await run('runs', 'rerun', id, '--reason', 'disk was full', '-o', 'json');
  expect(code).toBe(0);
  const { id: rerun } = JSON.parse(stdout);
  expect(JSON.parse(stdout)).toEqual({ id: rerun, task: 'again', rerunOf: id });
  expect((await run('runs', 'show', rerun)).stdout).toMatch(new RegExp(`^rerun of: +${id}$`, 'm'));
  expect((await run('runs', 'show', id)).stdout).toMatch(
    new RegExp(`done by people:\n  \\S+Z rerun by ${WHO} \\(rerun ${rerun}\\): disk was full\n`),
  );
});

test('a run that has not ended is refused with its state, one that is being rerun with the other', async () => {
  const open = await runningRun(db, 'open');
  expect(await run('runs', 'rerun', open)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/has not ended: it is running\n.*runs cancel/),
  });
  const id = await finishedRun(db, 'busy');
  const rerun = JSON.parse((await run('runs', 'rerun', id, '-o', 'json')).stdout).id;
  expect((await run('runs', 'rerun', id)).stderr).toContain(`is being rerun already, by ${rerun}`);
  await requestCancel(db, rerun, by('test'));
  expect(await run('runs', 'rerun', id)).toMatchObject({ code: 0 });
});

test('redrive says what it would do, does it once, and says so', async () => {
  const ids = [await finishedRun(db, 'dead'), await finishedRun(db, 'dead')];
  const redrive = (...more: string[]) => run('runs', 'redrive', '--state', 'failed', '--task', 'dead', ...more);
  const planned = await redrive('--dry-run');
  expect(planned).toMatchObject({ code: 0, stderr: '2 runs would be rerun; nothing was changed\n' });
  for (const id of ids) expect(planned.stdout).toContain(id);
  const { stdout } = await redrive('--limit', '1', '--yes', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ total: 1, done: 1, refused: [], request: expect.any(String) });
  expect((await redrive('--since', '1h', '--yes')).stdout).toBe('1 run rerun\n');
  expect(await redrive()).toMatchObject({ code: 0, stdout: '0 runs rerun\n' });
});

test('rerun runs many runs again, and the request says who asked, why, and what came of it', async () => {
  for (let made = 0; made < 3; made++) await finishedRun(db, 'many');
  const { stdout } = await run('runs', 'rerun', '--task', 'many', '--yes', '--reason', 'disk was full', '-o', 'json');
  const { request } = JSON.parse(stdout);
  const shown = await run('requests', 'show', request);
  expect(shown.stdout).toMatch(
    new RegExp(String.raw`^rerun runs, asked for by ${WHO} at \S+Z: disk was full\ndone: 3\n`),
  );
  expect((await run('requests', 'show', request, '--wait')).stdout).toBe('3 runs done\n');
  expect((await run('requests', 'list')).stdout).toMatch(
    new RegExp(`Z +${WHO} +rerun runs +done +3 +${request} +disk was full$`, 'm'),
  );
  expect(JSON.parse((await run('requests', 'list', '--limit', '1', '-o', 'json')).stdout)).toMatchObject([
    { id: request, state: 'done', result: { done: 3 } },
  ]);
});

test('cancel ends all runs of a selection', async () => {
  const id = await runningRun(db, 'selected');
  expect((await run('runs', 'cancel', '--task', 'selected', '--state', 'waiting')).stdout).toBe('0 runs cancelled\n');
  expect((await run('runs', 'cancel', '--task', 'selected', '--dry-run')).stdout).toContain(id);
  expect((await run('runs', 'cancel', '--task', 'selected', '-y')).stdout).toBe('1 run cancelled\n');
  expect((await run('runs', 'show', id)).stdout).toMatch(/done by people:\n {2}\S+Z cancel by/);
});

test.each([
  [['rerun', 'x'], /is not the id of a run/],
  [['rerun', UUID], /there is no run/],
  [['rerun', UUID, '--reason', 'a\0b'], /--reason contains a NUL/],
  [['redrive'], /required option '--state <states>'/],
  [['rerun'], /it is not said which runs/],
  [['cancel'], /it is not said which runs/],
  [['cancel', UUID, '--task', 'again'], /others are selected too/],
  [['cancel', '--state', 'failed'], /--state is "failed"[\s\S]*planned, queued/],
  [['cancel', '--task', 'agian'], /did you mean again/],
  [['redrive', '--state', 'unknown'], /--state is "unknown"[\s\S]*failed, timed_out/],
  [['redrive', '--state', 'failed', '--task', 'nobody'], /there is no task "nobody"/],
  [['redrive', '--state', 'failed', '--task', 'a\0b'], /--task contains a NUL/],
  [['redrive', '--state', 'failed', '--since', 'soon'], /--since is "soon"/],
  [['redrive', '--state', 'failed', '--limit', '0'], /--limit is "0"/],
])('runs %j is refused', async (args, message) => {
  expect(await run('runs', ...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});
