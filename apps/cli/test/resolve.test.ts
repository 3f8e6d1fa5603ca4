import { RUN_STATES } from '@escapement/core';
import { finishedRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const unknown = (name: string) =>
  finishedRun(db, name, { to: 'unknown', reason: 'its worker vanished', lost: true, uncounted: true });

test('an unknown run is found by its state and resolved with a note', async () => {
  const id = await unknown('payout');
  expect(JSON.parse((await run('runs', 'list', '--state', 'unknown', '-o', 'json')).stdout)).toMatchObject([{ id }]);
  const { code, stdout } = await run('runs', 'resolve', id, '--as', 'succeeded', '--reason', 'the bank has it');
  expect({ code, stdout }).toEqual({ code: 0, stdout: `run ${id} of payout has succeeded\n` });
  const shown = (await run('runs', 'show', id)).stdout;
  expect(shown).toMatch(new RegExp(`^reason: +resolved as succeeded by ${WHO}: the bank has it$`, 'm'));
  expect(shown).toMatch(new RegExp(String.raw`^ {2}\S+Z resolve by ${WHO} \(as succeeded\): the bank has it$`, 'm'));
  expect((await run('runs', 'list', '--state', 'unknown')).stderr).toContain('no run matches');
});

test('the time until somebody resolved a run is not the time that it took', async () => {
  const id = await unknown('slow-answer');
  await db.pool.query(`UPDATE run SET started_at = now() - interval '2 hours' WHERE id = $1`, [id]);
  expect((await run('runs', 'resolve', id, '--as', 'succeeded', '--reason', 'it is there')).code).toBe(0);
  const stats = JSON.parse((await run('tasks', 'stats', 'slow-answer', '-o', 'json')).stdout);
  expect(JSON.stringify(stats)).toContain('"p50Ms":null,"p95Ms":null');
  expect((await run('runs', 'show', id)).stdout).not.toMatch(/^took:/m);
  expect((await run('runs', 'tree', id)).stdout).not.toContain('took');
  expect((await run('runs', 'list', '--task', 'slow-answer')).stdout).toMatch(/ succeeded +trigger +1 +\S+( ms)? +- +/);
});

test('--as rerun names the run that runs it again', async () => {
  const id = await unknown('rerun');
  const { stdout } = await run('runs', 'resolve', id, '--as', 'rerun', '--reason', 'never arrived', '-o', 'json');
  const { rerunId } = JSON.parse(stdout);
  expect((await run('runs', 'show', rerunId)).stdout).toMatch(new RegExp(`^rerun of: +${id}$`, 'm'));
});

test('retry sends who asks for an unknown run to resolve', async () => {
  const id = await unknown('careful');
  expect((await run('runs', 'rerun', id)).stderr).toMatch(
    /has not ended: it is unknown\n.*runs resolve \S+ --as rerun/,
  );
});

test('cancel sends who asks for an unknown run to resolve', async () => {
  const id = await unknown('done-or-not');
  expect((await run('runs', 'cancel', id)).stderr).toMatch(
    /is unknown: .*\n.*runs resolve \S+ --as succeeded\|failed\|rerun/,
  );
});

test('each state can be asked for', async () => {
  for (const state of RUN_STATES)
    expect(await run('runs', 'list', '--state', state, '--task', 'payout', '--since', '1h')).toMatchObject({
      code: 0,
    });
});

test('only an unknown run can be resolved, and only with an outcome and a note', async () => {
  const over = await finishedRun(db, 'over');
  const id = await unknown('still');
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run('runs', 'resolve', ...args);
    return { code, stderr };
  };
  const note = ['--reason', 'x'];
  expect(await refused(over, '--as', 'failed', ...note)).toEqual({
    code: 2,
    stderr: expect.stringContaining('is failed, not unknown'),
  });
  expect((await refused(id, '--as', 'succeded', ...note)).stderr).toContain('did you mean succeeded?');
  expect((await refused(id, '--as', 'failed')).stderr).toContain("required option '--reason <text>'");
  expect((await refused(id, '--as', 'failed', '--reason', ' ')).stderr).toContain('--reason is empty');
  expect((await refused(id, '--as', 'failed', '--reason', 'a\0b')).stderr).toContain('NUL');
  expect((await refused(id, ...note)).stderr).toContain("required option '--as <outcome>'");
});
