import type { Verdict } from '@escapement/core';
import { registerDeployment, writeHeartbeat } from '@escapement/store';
import { finishedRun, finishedRunOf } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

function failing(message: string): Verdict {
  const stack = `Error: ${message}\n    at run (file:///srv/app/tasks/orders.ts:9:11)`;
  return { to: 'failed', reason: message, lost: false, uncounted: false, error: { name: 'Error', message, stack } };
}

test('failures are listed by what they have in common, resolved, muted and open again', async () => {
  expect((await run('errors', 'list')).stderr).toContain('nothing has failed since');
  await finishedRun(db, 'orders', failing('order 17 has no price'));
  await finishedRunOf(db, 'orders', failing('order 18 has no price'));
  await finishedRun(db, 'backup');
  const listed = await run('errors', 'list');
  expect(listed.stdout).toMatch(
    /^[0-9a-f]{16} +2 .* open +orders +Error: order # has no price at run \(app\/tasks\/orders\.ts\)$/m,
  );
  expect(listed.stdout).toMatch(/ 1 .* backup +exit code #$/m);
  expect((await run('errors', 'list', '--new-since', '1h')).stdout).toContain('order # has no price');
  const fresh = await run('errors', 'list', '--new-since', '0s');
  expect(fresh.stdout).not.toContain('order # has no price');
  expect(fresh.stderr).toMatch(
    /nothing has failed for the first time since .*; 2 errors of before, or resolved or muted/,
  );
  const { items } = JSON.parse((await run('errors', 'list', '-o', 'json')).stdout);
  const [{ fingerprint }] = items;
  expect(await run('errors', 'resolve', fingerprint, '--reason', 'mended')).toMatchObject({
    code: 0,
    stdout: `${fingerprint} is resolved\n`,
  });
  expect((await run('errors', 'list', '--task', 'orders')).stderr).toContain(
    'but for 1 error resolved or muted: --all',
  );
  expect((await run('errors', 'list', '--all')).stdout).toContain('resolved');
  await finishedRunOf(db, 'orders', failing('order 19 has no price'));
  expect((await run('errors', 'list')).stdout).toContain('back');
  expect((await run('errors', 'mute', fingerprint, '--until', '2h')).stdout).toMatch(/is muted until 20/);
  expect((await run('errors', 'reopen', fingerprint)).stdout).toBe(`${fingerprint} is open again\n`);
});

test('a list says in which release an error came first, where that is known', async () => {
  const code = { app: 'shop', release: '1.4.2', fingerprint: 'f', whole: true, tasks: { cart: 'print' } };
  const deploymentId = await registerDeployment(db, code);
  const worker = { id: 'worker-1', role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['default'] } as const;
  await writeHeartbeat(db, { ...worker, deploymentId }, { activeRuns: [], clockOffsetMs: 0 });
  await finishedRun(db, 'cart', failing('the cart is empty'));
  expect((await run('errors', 'list', '--task', 'cart')).stdout).toMatch(/ \(1\.4\.2\) .*the cart is empty/);
  expect((await run('errors', 'list', '--task', 'backup')).stdout).not.toContain('(1.4');
  const { items } = JSON.parse((await run('errors', 'list', '--task', 'cart', '-o', 'json')).stdout);
  expect(items).toMatchObject([{ firstRelease: '1.4.2', releaseBefore: null }]);
});

test.each([
  [['errors', 'resolve', 'x'], '"x" is the fingerprint of no error'],
  [['errors', 'mute', '0123456789abcdef', '--until', 'soon'], '--until is "soon"'],
  [['errors', 'mute', '0123456789abcdef'], "required option '--until <instant>' not specified"],
  [['errors', 'redrive', '0123456789abcdef'], 'no run has failed with 0123456789abcdef'],
  [['errors', 'list', '--since', 'x'], '--since is "x"'],
  [['errors', 'list', '--new-since', 'x'], '--new-since is "x"'],
])('%j is refused', async (args, words) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});
