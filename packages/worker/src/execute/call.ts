import { ABORT_BOUND_MS, type AttemptEnd, type Clock, DAY, type Emit, toRunError } from '@escapement/core';
import type { Lease } from '@escapement/queue';
import { type BegunRun, isDataFault, isPassingError, type TaskVersion } from '@escapement/store';
import type { OwnFollowers } from '../own-followers.ts';
import { type Attempt, begunAfterMs, callHandler, type HandlerParts } from './call-handler.ts';
import type { Execution } from './execution.ts';
import type { NoteNext } from './next-has-passed.ts';
import type { RunLogWriter } from './run-log-writer.ts';

export interface CallParts extends HandlerParts {
  logs: RunLogWriter;
  followers: Pick<OwnFollowers, 'began' | 'check'>;
  noteNext: NoteNext;
  clock: Clock;
  emit: Emit;
}

/** Longer than any start of a process waits for its turn: handlers bound that themselves. */
const PREPARING_MS = 1 * DAY;

/** How an attempt went. */
export interface Called {
  /** Undefined: this worker cannot read the definition, and has called nothing. */
  task: TaskVersion | undefined;
  end: AttemptEnd;
  durationMs: number;
  /** By this worker's clock. */
  calledAt: Date;
  returnedAt: Date;
}

/** Calls the handler of a run that has begun. */
export async function call(
  { releasePlace }: Execution,
  run: BegunRun,
  lease: Lease | null,
  parts: CallParts,
): Promise<Called> {
  const task = await readDefinition(run, parts);
  const calledAt = parts.clock.now();
  if ('kind' in task) return { task: undefined, end: task, durationMs: 0, calledAt, returnedAt: calledAt };
  const onPreparing = (prepares: boolean) => limitHold(lease, prepares ? PREPARING_MS : task.definition.timeoutMs);
  onPreparing(false);
  const { clock, followers, logs, progress } = parts;
  parts.emit({
    event: 'run_started',
    run: run.runId,
    task: task.name,
    pool: task.definition.pool,
    attempt: run.attempt,
    latenessMs: begunAfterMs(run),
    traceparent: run.traceparent,
  });
  followers.began(run, task);
  const startedMs = clock.monotonicMs();
  const log = logs.open(run.runId, run.attempt);
  const end = await followers.check(await callPrepared({ run, task, log, releasePlace, onPreparing }, parts), run);
  const returnedAt = clock.now();
  parts.noteNext({ run, task, end, log });
  progress.forget(run.runId);
  await log.close();
  return { task, end, durationMs: Math.round(clock.monotonicMs() - startedMs), calledAt, returnedAt };
}

/** A hung process gives its key back: by then the handler has ended, or is left to itself. */
function limitHold(lease: Lease | null, handlerMs: number): void {
  lease?.limitHold(handlerMs + ABORT_BOUND_MS);
}

/** What cannot be prepared for a handler fails the attempt: without an end the run would be taken for one that lost its worker. */
async function callPrepared(attempt: Attempt, parts: HandlerParts): Promise<AttemptEnd> {
  try {
    return await callHandler(attempt, parts);
  } catch (thrown) {
    if (!isDataFault(thrown)) throw thrown;
    const error = toRunError(thrown);
    return { kind: 'returned', outcome: { status: 'failed', error, work: 'not_begun' } };
  }
}

/** The definition a run was made from; else the end of an attempt that could not read it. */
async function readDefinition(run: BegunRun, { ledger, workerId, emit }: CallParts): Promise<TaskVersion | AttemptEnd> {
  try {
    return await ledger.definition(run.taskId, run.taskVersion);
  } catch (thrown) {
    if (isPassingError(thrown)) throw thrown;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    const error = new Error(`definition of its task cannot be read: ${problem}`);
    emit({ event: 'begin_failed', run: run.runId, error });
    return { kind: 'unreadable', worker: workerId, problem };
  }
}
