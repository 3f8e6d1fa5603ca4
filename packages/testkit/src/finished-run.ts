import { randomUUID } from 'node:crypto';
import { newRunId, systemClock, type Verdict } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { beginRuns, type Database, findTask, finishRuns, triggerRun } from '@escapement/store';
import { by } from './by.ts';

const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false, exitCode: 3 };

/** Saves a task that runs by hand. */
export async function aTask(db: Database, name: string): Promise<void> {
  await saveTask(db, { name, handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: by('test') });
}

/** A run of a task that a worker holds. */
export async function runningRun(db: Database, name: string): Promise<string> {
  await aTask(db, name);
  return await runningRunOf(db, name);
}

async function runningRunOf(db: Database, name: string): Promise<string> {
  const scheduledFor = systemClock.now();
  const id = newRunId(scheduledFor);
  const taskId = (await findTask(db, name))?.id ?? '';
  await triggerRun(db, {
    id,
    scheduledFor,
    taskId,
    origin: 'trigger',
    key: name,
    payload: undefined,
    by: by('test'),
  });
  const begin = { runId: id, scheduledFor, dispatch: 1, beginId: randomUUID(), key: name, slot: 1, worker: 'worker-1' };
  const [result] = await beginRuns(db, [begin]);
  if (result?.kind !== 'begun') throw new Error('not begun');
  return id;
}

/** A run of a task that came to the given end. */
export async function finishedRun(db: Database, name: string, verdict: Verdict = FAILED): Promise<string> {
  await aTask(db, name);
  return await finishedRunOf(db, name, verdict);
}

/** The same of a task that is there. */
export async function finishedRunOf(db: Database, name: string, verdict: Verdict = FAILED): Promise<string> {
  const runId = await runningRunOf(db, name);
  const seen = { state: 'running', dispatch: 1, attempt: 1 };
  const { rows } = await db.pool.query<{ scheduled_for: Date }>('SELECT scheduled_for FROM run WHERE id = $1', [runId]);
  const scheduledFor = rows[0]?.scheduled_for ?? systemClock.now();
  await finishRuns(db, [{ runId, scheduledFor, seen, fence: null, finishId: randomUUID(), verdict }]);
  return runId;
}
