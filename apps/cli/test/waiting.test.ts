import { newRunId, systemClock } from '@escapement/core';
import { type Database, findTask, triggerRun, waitRun } from '@escapement/store';
import { by, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

/** A run that waits for the one that holds the task's key. */
async function waitingRun(ledger: Database, name: string, maxWaitMs?: number): Promise<string> {
  const scheduledFor = systemClock.now();
  const runId = newRunId(scheduledFor);
  const taskId = (await findTask(ledger, name))?.id ?? '';
  const asked = { taskId, origin: 'trigger', key: name, payload: undefined, by: by('test') } as const;
  await triggerRun(ledger, { ...asked, id: runId, scheduledFor });
  const seen = { state: 'planned', dispatch: 0, attempt: 0 };
  const answer = await waitRun(ledger, { runId, scheduledFor, seen, dispatch: 1, maxWaitMs });
  if (answer.kind !== 'waiting') throw new Error(answer.kind);
  return runId;
}

test('a waiting run is shown with the run that it waits for, since when and until when', async () => {
  const holder = await runningRun(db, 'report');
  const waiting = await waitingRun(db, 'report', 60_000);
  const listed = await run('runs', 'list', '--state', 'waiting');
  expect(listed.stdout).toMatch(new RegExp(`waiting .*${waiting} +waits for run ${holder} \\(\\d+`));
  const shown = await run('runs', 'show', waiting);
  expect(shown.stdout).toMatch(new RegExp(`^waits for: +${holder}$`, 'm'));
  expect(shown.stdout).toMatch(/^waiting since: +\S+Z, until \S+Z at the latest$/m);
});

test('a run that has not begun is shown with what holds it back and what helps', async () => {
  const holder = await runningRun(db, 'held-back');
  const scheduledFor = systemClock.now();
  const id = newRunId(scheduledFor);
  const taskId = (await findTask(db, 'held-back'))?.id ?? '';
  const asked = { taskId, origin: 'trigger', key: 'held-back', payload: undefined, by: by('test') } as const;
  await triggerRun(db, { ...asked, id, scheduledFor });
  const shown = await run('runs', 'show', id);
  expect(shown.stdout).toMatch(new RegExp(`^not begun: +the key "held-back" is held by run ${holder}$`, 'm'));
  expect(shown.stdout).toMatch(/^what helps: +`escapement keys show`/m);
  expect((await run('runs', 'show', holder)).stdout).not.toContain('not begun');
});

test('a waiting run is cancelled at once', async () => {
  await runningRun(db, 'cancelled');
  const waiting = await waitingRun(db, 'cancelled');
  expect((await run('runs', 'cancel', waiting, '--reason', 'not needed')).stdout).toContain('is cancelled');
  expect((await run('runs', 'show', waiting)).stdout).toMatch(/^state: +cancelled$/m);
});

test('a run that ended while it waited is not said to wait any more', async () => {
  const holder = await runningRun(db, 'given-up');
  const waiting = await waitingRun(db, 'given-up', 60_000);
  await run('runs', 'cancel', waiting);
  const shown = await run('runs', 'show', waiting);
  expect(shown.stdout).not.toContain('waits for');
  expect(shown.stdout).toMatch(new RegExp(`^waited for: +${holder}$`, 'm'));
  expect(shown.stdout).toMatch(/^waiting since: +\S+Z, for [\d.]+ m?s$/m);
});
