import { EscapementError, type Json, newRunId, renderKey } from '@escapement/core';
import {
  type BatchRow,
  batchItems,
  cancelChildren,
  countBatch,
  type Database,
  type DispatchableRun,
  finishBatch,
  type Join,
  makeChildren,
  pingDatabase,
  stopBatch,
  stopIfDeleted,
  toBatchProgress,
} from '@escapement/store';
import { findNamedTask } from './tasks/require-task.ts';

/** Children that are made, or cancelled, in one write. */
const STEP = 500;

/** Adds the jobs of runs that the ledger has as queued. Never rejects: what the queue does not take the reconciler adds. */
export type Enqueue = (runs: readonly DispatchableRun[]) => Promise<void>;

/**
 * Takes a batch one step on: counts the children that have ended, makes the next ones, or ends it. Any number of processes
 * may do it at once, and die at any point. True: there is more to do at once.
 */
export async function advanceBatch(db: Database, batchId: string, enqueue: Enqueue): Promise<boolean> {
  const batch = await countBatch(db, batchId);
  if (!batch) return false;
  if (batch.state === 'cancelling') await cancelChildren(db, batch, STEP);
  if (isOver(batch)) return await end(db, batch);
  if (batch.state !== 'running') return false;
  const open = batch.made - batch.succeeded - batch.skipped - batch.failed;
  const count = Math.min(batch.concurrency - open, batch.total - batch.made, STEP);
  if (count <= 0) return false;
  return await make(db, batch, count, enqueue);
}

function isOver({ state, made, total, succeeded, skipped, failed }: BatchRow): boolean {
  if (succeeded + skipped + failed < made) return false;
  return state === 'stopping' || state === 'cancelling' || (state === 'running' && made === total);
}

async function make(db: Database, batch: BatchRow, count: number, enqueue: Enqueue): Promise<boolean> {
  const { id: batchId, made } = batch;
  const keys = await keysOf(db, batch, count);
  if (keys instanceof EscapementError) {
    await stopBatch(db, batchId, keys.message);
    return true;
  }
  const children = await makeChildren(db, { batchId, made, count, keys });
  await enqueue(children);
  if (children.length === 0) return await stopIfDeleted(db, batchId);
  return count === STEP;
}

/** The keys of the next children; null: they share the batch's. One that cannot be rendered was refused with its item. */
async function keysOf(db: Database, batch: BatchRow, count: number): Promise<string[] | null | EscapementError> {
  const { id, key, made } = batch;
  if (key === null) return null;
  if (!key.includes('{{')) return Array.from({ length: count }, () => key);
  try {
    return (await batchItems(db, id, made, count)).map((item) => renderKey(key, item));
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
}

async function end(db: Database, batch: BatchRow): Promise<boolean> {
  const joining =
    batch.join_task === null || batch.state === 'cancelling' ? null : await joinOf(db, batch, batch.join_task);
  const failed = joining instanceof EscapementError;
  await finishBatch(db, batch.id, {
    join: failed ? null : joining,
    reason: failed ? `it could not be joined: ${joining.message}` : null,
  });
  return false;
}

/** What keeps a batch from being joined (the task is gone, its key names a field that no join has) is told with the batch. */
async function joinOf(db: Database, batch: BatchRow, name: string): Promise<Join | EscapementError> {
  const task = await findNamedTask(db, name);
  if (!task) return new EscapementError('unknown_task', `there is no task "${name}"`);
  const { total, succeeded, skipped, failed, left } = toBatchProgress(batch);
  const payload = { batchId: batch.id, total, succeeded, skipped, failed, left };
  try {
    const { now } = await pingDatabase(db);
    const key = renderKey(task.definition.key ?? task.name, payload satisfies Json);
    return { id: newRunId(now), scheduledFor: now, taskId: task.id, key, payload };
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
}
