import { randomBytes } from 'node:crypto';
import {
  admitJson,
  type BatchProgress,
  type BatchRequest,
  checkKeyTemplate,
  DEFAULT_BATCH_CONCURRENCY,
  EscapementError,
  type Json,
  MAX_BATCH_ITEMS,
  MAX_FAN_OUT_DEPTH,
  newRunId,
  RESULT_PAGE,
  type ResultPage,
} from '@escapement/core';
import type { Tracing } from '@escapement/core/traces';
import { everyWorkerFollows, findNamedTask, permitStarts } from '@escapement/operations';
import {
  addToBatch,
  batchResults,
  causesAbove,
  type Database,
  type Definitions,
  findBatch,
  openBatch,
  pingDatabase,
  sealBatch,
  type Task,
} from '@escapement/store';
import type { Caller } from '../calls/caller.ts';
import type { BatchWatch } from './batch-watch.ts';

/** Waits between two looks for the next result, where no child ends in this process. Milliseconds. */
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 500;
/** How long a call waits before it is answered with nothing, and asked again: its caller may have been overtaken. */
const WAIT_MS = 10_000;

/** Opens the batch of a run and name. Throws for what cannot be: tasks that are not there or not to be started by who saved this one, an order that cannot be kept. */
export async function answerOpen(
  { db, definitions, tracing }: { db: Database; definitions: Definitions; tracing: Pick<Tracing, 'afterRun'> },
  request: BatchRequest,
  { run }: Caller,
): Promise<BatchProgress & { key: string | null }> {
  const starter = { runId: run.runId, task: await definitions.get(run.taskId, run.taskVersion) };
  await permitStarts(db, starter, [request.task, ...(request.join === undefined ? [] : [request.join])]);
  const task = await requireTask(db, request.task, 'ctx.fanOut');
  if (request.join !== undefined) await requireTask(db, request.join, 'the join of ctx.fanOut');
  const key = request.key ?? ownKey(task);
  checkOrder(request, key);
  if (key !== null) checkKeyTemplate(key);
  await checkDepth(db, request.task, run.runId);
  const { now } = await pingDatabase(db);
  const opened = await openBatch(db, run, {
    ...request,
    id: newBatchId(now),
    createdAt: now,
    taskId: task.id,
    key,
    traceparent: tracing.afterRun({ id: run.runId, traceparent: run.traceparent }),
    concurrency: request.order === 'series' ? 1 : (request.concurrency ?? DEFAULT_BATCH_CONCURRENCY),
  });
  const { taskId, ...answer } = opened;
  if (taskId === task.id) return answer;
  throw new EscapementError('batch_changed', `batch "${request.name}" of this run is one of another task already`, {
    fix: 'a retry has to fan out as the first attempt did; tell batches apart by `id`',
  });
}

/**
 * The key that children take of their task: what it says of its own. A task that says nothing has its name as its key, which
 * would put the children into the wait queue one by one: null, they share a key of the batch.
 */
function ownKey({ name, definition }: Task): string | null {
  const { key, limit, state } = definition;
  return key ?? (limit > 1 || state !== undefined ? name : null);
}

async function checkDepth(db: Database, task: string, runId: string): Promise<void> {
  if ((await causesAbove(db, runId, MAX_FAN_OUT_DEPTH)) < MAX_FAN_OUT_DEPTH) return;
  throw new EscapementError(
    'fan_out_too_deep',
    `${MAX_FAN_OUT_DEPTH} runs stand above this one, each caused by the one before: it may not fan out to ${task}`,
    { fix: 'end the circle: a task that fans out into itself needs a condition' },
  );
}

function checkOrder({ order, concurrency }: BatchRequest, key: string | null): void {
  if (order === 'series' && concurrency !== undefined && concurrency !== 1)
    throw new EscapementError('bad_order', `a batch in series has a concurrency of 1, not ${concurrency}`, {
      fix: 'leave concurrency out, or use order: "start"',
    });
  if (order === 'start' && key?.includes('{{'))
    throw new EscapementError(
      'bad_order',
      `items under several keys ("${key}") cannot be kept in the order of their starts`,
      {
        fix: 'use a key without {{...}}, or order: "series"',
      },
    );
}

async function requireTask(db: Database, name: string, what: string): Promise<Task> {
  const task = await findNamedTask(db, name);
  if (task?.definition.runOn) throw everyWorkerFollows(name);
  if (task) return task;
  throw new EscapementError('unknown_task', `${what} names task "${name}", which does not exist`, {
    fix: 'see `escapement tasks list`',
  });
}

/** As that of a run, with room for the places of the children. */
function newBatchId(now: Date): string {
  const random = randomBytes(10);
  random.fill(0, 6);
  return newRunId(now, random);
}

export async function answerAdd(
  db: Database,
  page: { batchId: string; first: number; items: readonly Json[] },
  { run }: Caller,
): Promise<null> {
  if (page.first + page.items.length > MAX_BATCH_ITEMS)
    throw new EscapementError('too_many_items', `a batch of more than ${MAX_BATCH_ITEMS} items`, {
      fix: 'put several things into one item, or fan out in two batches',
    });
  for (const [index, item] of page.items.entries()) admitJson(item, `item ${page.first + index}`);
  if (!(await addToBatch(db, run, page))) throw notFilled(page.batchId);
  return null;
}

export async function answerSeal(
  db: Database,
  batchId: string,
  { run }: Caller,
  watch: BatchWatch,
): Promise<BatchProgress> {
  const sealed = await sealBatch(db, run, batchId);
  if (!sealed) throw notFilled(batchId);
  watch.advance(batchId);
  return sealed;
}

function notFilled(batchId: string): EscapementError {
  return new EscapementError('batch_not_filled', `batch ${batchId} does not take items of this attempt (any more)`, {
    fix: 'do not call ctx.fanOut twice at the same time with the same id',
  });
}

export async function answerProgress(db: Database, batchId: string): Promise<BatchProgress> {
  const batch = await findBatch(db, batchId);
  if (batch) return batch;
  throw new EscapementError('unknown_batch', `there is no batch ${batchId}`, {
    fix: 'the id is that of ctx.fanOut; batches are forgotten after the retention of the run that asked for them',
  });
}

/** The next results. Waits for the first of them; while it does, the run does not count against its worker's concurrency. */
export async function answerResults(
  db: Database,
  { batchId, from }: { batchId: string; from: number },
  caller: Caller,
  watch: BatchWatch,
): Promise<ResultPage> {
  let waitedMs = 0;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LAST_WAIT_MS)) {
    // In this order: what ends between the two is in the results.
    const batch = await answerProgress(db, batchId);
    const results = await batchResults(db, batchId, { from, limit: RESULT_PAGE });
    const ended = batch.state === 'done' || batch.state === 'cancelled';
    if (ended && results.length === 0 && from < batch.made) throw pruned(batchId, from);
    if (results.length > 0 || ended || waitedMs >= WAIT_MS)
      return { results, over: ended && from + results.length >= batch.made };
    if (caller.signal.aborted) throw stopped(String(caller.signal.reason));
    caller.onReport();
    caller.releasePlace();
    await watch.moved(batchId, waitMs, caller.signal);
    waitedMs += waitMs;
  }
}

function pruned(batchId: string, from: number): EscapementError {
  return new EscapementError(
    'results_pruned',
    `the run of item ${from} of batch ${batchId} is not in the ledger any more`,
    {
      fix: 'read results within the retention of their task (retentionDays)',
    },
  );
}

function stopped(reason: string): EscapementError {
  return new EscapementError('run_stopped', `the run was stopped (${reason}) while it waited for results`, {
    fix: 'let it end: a retry finds the batch as it is',
  });
}
