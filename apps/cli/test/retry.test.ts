import { requestCancel } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';
import { finishedRun, runningRun } from './finished-run.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const UUID = '019b0000-0000-7000-8000-000000000001';

test('a failed run is run again by a new one, which names it; both show who wanted it', async () => {
  const id = await finishedRun(db, 'again');
  const { code, stdout } = await run('runs', 'retry', id, '--reason', 'disk was full', '-o', 'json');
  expect(code).toBe(0);
  const { id: rerun } = JSON.parse(stdout);
  expect(JSON.parse(stdout)).toEqual({ id: rerun, task: 'again', rerunOf: id });
  expect((await run('runs', 'show', rerun)).stdout).toMatch(new RegExp(`^re-run of: +${id}$`, 'm'));
  expect((await run('runs', 'show', id)).stdout).toMatch(
    new RegExp(`done by people:\n  \\S+Z retry by \\S+@\\S+ \\(rerun ${rerun}\\): disk was full\n`),
  );
});

test('a run that has not ended is refused with its state, one that is being re-run with the other', async () => {
  const open = await runningRun(db, 'open');
  expect(await run('runs', 'retry', open)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/has not ended: it is running\n.*runs cancel/),
  });
  const id = await finishedRun(db, 'busy');
  const rerun = JSON.parse((await run('runs', 'retry', id, '-o', 'json')).stdout).id;
  expect((await run('runs', 'retry', id)).stderr).toContain(`is being re-run already, by ${rerun}`);
  await requestCancel(db, rerun, { who: 'test', reason: null });
  expect(await run('runs', 'retry', id)).toMatchObject({ code: 0 });
});

test('redrive says what it would do, does it once, and says so', async () => {
  const ids = [await finishedRun(db, 'dead'), await finishedRun(db, 'dead')];
  const redrive = (...more: string[]) => run('runs', 'redrive', '--state', 'failed', '--task', 'dead', ...more);
  expect(await redrive('--dry-run')).toMatchObject({
    code: 0,
    stderr: '2 runs would be re-run; nothing was changed\n',
  });
  const { stdout, stderr } = await redrive('--limit', '1', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ dryRun: false, redriven: [{ runId: ids[0] }], refused: [], left: 1 });
  expect(stderr).toContain('1 run re-run\n1 more match');
  expect((await redrive('--since', '1h')).stdout).toContain(ids[1]);
  expect(await redrive()).toMatchObject({ code: 0, stderr: '0 runs re-run\n' });
});

test.each([
  [['retry', 'x'], /is not the id of a run/],
  [['retry', UUID], /there is no run/],
  [['retry', UUID, '--reason', 'a\0b'], /--reason contains a NUL/],
  [['redrive'], /required option '--state <states>'/],
  [['redrive', '--state', 'unknown'], /--state is "unknown"[\s\S]*resolve/],
  [['redrive', '--state', 'failed', '--task', 'nobody'], /there is no task "nobody"/],
  [['redrive', '--state', 'failed', '--task', 'a\0b'], /--task contains a NUL/],
  [['redrive', '--state', 'failed', '--since', 'soon'], /--since is "soon"/],
  [['redrive', '--state', 'failed', '--limit', '0'], /--limit is "0"/],
])('runs %j is refused', async (args, message) => {
  expect(await run('runs', ...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});
