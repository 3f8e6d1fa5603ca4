import { runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { answerRequests } from './answering.ts';
import { cliDatabase, runCli } from './cli.ts';

test.each([
  ['no Redis', 'redis://127.0.0.1:1', /^leases are unknown: Redis at .* does not answer/],
  ['no scheduler', undefined, /^leases are unknown: no scheduler has answered within 3 s/],
])('with %s the ledger is shown, and a key is released in it', async (_, redisUrl, why) => {
  const { db, env } = await cliDatabase();
  if (redisUrl) answerRequests(db, redisUrl);
  await runningRun(db, 'alone');
  const shown = await runCli(['keys', 'show', 'alone'], { env });
  expect(shown).toMatchObject({ code: 3, stderr: expect.stringMatching(why) });
  expect(shown.stdout).toMatch(/ running .* \? +\d+ +0$/m);
  expect(await runCli(['keys', 'list'], { env })).toMatchObject({ code: 3, stderr: expect.stringMatching(why) });
  const released = await runCli(['keys', 'release', 'alone', '--reason', 'gone'], { env });
  expect(released).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/slot 1, is released: run \S+ is cancelled/),
  });
});
