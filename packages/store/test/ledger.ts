import { randomUUID } from 'node:crypto';
import { type By, newRunId, systemClock, type TaskInput, taskDefinition, type Verdict } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import {
  type BegunRun,
  beginRuns,
  type Database,
  deleteTask,
  dueTasks,
  type FinishRequest,
  findTask,
  openDatabase,
  planRuns,
  type SeenTask,
  saveTask,
} from '../src/index.ts';

export const MINUTE = 60_000;

/** A database of the test's own, through two sets of connections as two processes would have them. */
export async function twoProcesses(): Promise<{ one: Database; two: Database; close(): Promise<void> }> {
  const database = await testDatabase();
  const one = openDatabase({ url: database.url, applicationName: 'one' });
  const two = openDatabase({ url: database.url, applicationName: 'two' });
  return {
    one,
    two,
    async close() {
      await Promise.all([one.close(), two.close()]);
    },
  };
}

export async function makeTask(db: Database, input: Partial<TaskInput> & { name: string }): Promise<string> {
  const definition = taskDefinition.parse({
    schedule: { kind: 'every', everyMs: MINUTE },
    handler: { type: 'shell', command: 'true' },
    ...input,
  });
  const saved = await saveTask(db, {
    definition,
    schedule: definition.schedule,
    keyTemplate: definition.key ?? definition.name,
    source: 'test',
    by: by('test'),
    redacted: { before: null, after: null },
    expectedPlanSeq: null,
    effectiveAt: ago(60 * MINUTE),
    nextRunAt: ago(50 * MINUTE),
  });
  if (!saved) throw new Error('the task was there already');
  return saved.id;
}

/** Instants are whole milliseconds, as the ledger keeps them. */
export function ago(ms: number): Date {
  return new Date(systemClock.now().getTime() - ms);
}

/** A task as it is now. */
export async function asSeen(db: Database, name: string): Promise<SeenTask> {
  const task = await findTask(db, name);
  if (!task) throw new Error(`there is no task ${name}`);
  return { planSeq: task.planSeq, at: ago(0) };
}

export async function deleteNow(db: Database, name: string, who: By): Promise<void> {
  if (!(await deleteTask(db, name, who, await asSeen(db, name)))) throw new Error(`task ${name} was not deleted`);
}

export interface QueuedFixture {
  runId: string;
  scheduledFor: Date;
  dispatch: number;
  key: string;
}

/** Plans one occurrence a task at the given age, queued for its first job. By repeat: it is `planned`, and has none yet. */
export async function queueRuns(
  db: Database,
  runs: readonly { taskId: string; key: string; ageMs: number }[],
  { byRepeat = false } = {},
): Promise<QueuedFixture[]> {
  const { tasks } = await dueTasks(db, { horizonMs: MINUTE, limit: 1000 });
  const seqs = new Map(tasks.map((task) => [task.id, task.planSeq]));
  const rows = runs.map(({ taskId, key, ageMs }) => {
    const at = ago(ageMs);
    return { ...OCCURRENCE, id: newRunId(at), taskId, scheduledFor: at, dueAt: at, key, byRepeat };
  });
  const moves = [...new Set(runs.map((run) => run.taskId))].map((taskId) => ({
    taskId,
    planSeq: seqs.get(taskId) ?? -1,
    nextRunAt: ago(MINUTE),
  }));
  await planRuns(db, moves, rows);
  return rows.map((row) => ({ runId: row.id, scheduledFor: row.scheduledFor, dispatch: 1, key: row.key }));
}

/** What a worker says of itself that can run shell tasks. */
export const WORKER = {
  id: 'worker-1',
  role: 'worker',
  host: 'test',
  pid: 1,
  appVersion: '0',
  pools: ['default'],
  offers: ['shell'],
} as const;

export const OCCURRENCE = {
  origin: 'schedule',
  state: 'planned',
  reason: null,
  misfireAt: null,
  inTurn: false,
  untilAt: null,
  occurrences: 1,
} as const;

export function beginRequest(run: QueuedFixture, worker = 'worker-1') {
  return { ...run, beginId: randomUUID(), slot: 1, worker };
}

/** Begins runs that nothing is in the way of. */
export async function begun(db: Database, runs: readonly QueuedFixture[]): Promise<BegunRun[]> {
  const results = await beginRuns(
    db,
    runs.map((run) => beginRequest(run)),
  );
  return results.map((result) => {
    if (result.kind !== 'begun') throw new Error(`not begun: ${result.kind}`);
    return result.run;
  });
}

export const SUCCEEDED: Verdict = { to: 'succeeded', reason: null, lost: false, uncounted: false };

export function finishRequest(run: BegunRun, verdict: Verdict = SUCCEEDED): FinishRequest {
  return {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
    fence: run.fence,
    finishId: randomUUID(),
    verdict,
  };
}

export async function stateOf(db: Database, runId: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ state: string }>('SELECT state FROM run WHERE id = $1', [runId]);
  return rows[0]?.state;
}
