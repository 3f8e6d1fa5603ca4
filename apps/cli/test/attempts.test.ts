import { randomUUID } from 'node:crypto';
import { type RunError, systemClock } from '@escapement/core';
import { findRun, finishRuns } from '@escapement/store';
import { runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();

const error: RunError = {
  name: 'HttpError',
  message: 'no answer',
  stack: 'HttpError: no answer\n    at call (pay.ts:3:1)',
  fields: { status: 504 },
  cause: { name: 'Error', message: 'ECONNRESET', stack: 'Error: ECONNRESET\n    at socket (net.js:9:9)' },
};

test('an earlier attempt is shown with all that is known of it', async () => {
  const runId = await runningRun(db, 'payout');
  const scheduledFor = (await findRun(db, runId))?.scheduledFor ?? systemClock.now();
  const seen = { state: 'running', dispatch: 1, attempt: 1 };
  const verdict = {
    to: 'retrying',
    reason: 'no answer',
    attemptOutcome: 'failed',
    retryAt: systemClock.now(),
    error,
    exitCode: 3,
    lost: false,
    uncounted: false,
  } as const;
  await finishRuns(db, [{ runId, scheduledFor, seen, fence: null, finishId: randomUUID(), verdict }]);
  const { stdout } = await runCli(['runs', 'show', runId], { env });
  expect(stdout).toMatch(
    /earlier attempts:\n {2}1: failed at \S+Z: no answer\n {5}started \S+Z, took [\d.]+ m?s, worker worker-1, fence \d+, exit code 3\n/,
  );
  const shown = [
    'HttpError: no answer',
    '    at call (pay.ts:3:1)',
    '{"status":504}',
    'caused by Error: ECONNRESET',
    '    at socket (net.js:9:9)',
  ];
  expect(stdout).toContain(shown.map((line) => `     ${line}\n`).join(''));
  const json = JSON.parse((await runCli(['runs', 'show', runId, '-o', 'json'], { env })).stdout);
  expect(json.attempts).toMatchObject([
    { attempt: 1, worker: 'worker-1', fence: expect.stringMatching(/^\d+$/), exitCode: 3, error },
  ]);
});
