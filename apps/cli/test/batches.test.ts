import { saveTask } from '@escapement/operations';
import { beginRuns, findRun, findTask, finishRuns, openBatch, sealBatch } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const UUID = '019b0000-0000-7000-8000-000000000001';
const BATCH = '019b0000-0000-7000-8000-000000000000';

/** A run that has ended, while its batch is open. */
async function parentThatEnded(): Promise<string> {
  await saveTask(db, { name: 'fans', handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: by('test') });
  const id = (await run('tasks', 'trigger', 'fans')).stdout.trim();
  const view = await findRun(db, id);
  const task = await findTask(db, 'fans');
  if (!view || !task) throw new Error('no run');
  const { scheduledFor, key } = view;
  const [result] = await beginRuns(db, [
    { runId: id, scheduledFor, dispatch: 1, beginId: UUID, key, slot: 1, worker: 'worker-1' },
  ]);
  if (result?.kind !== 'begun') throw new Error('not begun');
  await openBatch(db, result.run, {
    id: BATCH,
    createdAt: scheduledFor,
    name: '1',
    taskId: task.id,
    key: null,
    traceparent: null,
    concurrency: 5,
    order: 'none',
    onError: 'continue',
  });
  await sealBatch(db, result.run, BATCH);
  const seen = { state: 'running', dispatch: 1, attempt: 1 };
  const verdict = { to: 'succeeded', reason: null, lost: false, uncounted: false } as const;
  await finishRuns(db, [{ runId: id, scheduledFor, seen, fence: null, finishId: UUID, verdict }]);
  return id;
}

test('a run shows what it has fanned out; what is open of it is cancelled after its end too, once', async () => {
  const id = await parentThatEnded();
  expect((await run('runs', 'show', id)).stdout).toContain(
    `fanned out:\n  ${BATCH}: fans: running: 0 of 0 done, 0 failed, 0 left\n`,
  );
  const { code, stdout } = await run('runs', 'cancel', id, '--reason', 'wrong list');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `run ${id} is succeeded; what it has fanned out is cancelled: no more runs are made, those that are open are stopped\n`,
  });
  const shown = (await run('runs', 'show', id)).stdout;
  expect(shown).toContain('cancelling (wrong list)');
  expect(shown).toMatch(/cancel batch/);
  expect((await run('runs', 'cancel', id)).stderr).toContain('has already succeeded');
});
