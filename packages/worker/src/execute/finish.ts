import { randomUUID } from 'node:crypto';
import {
  type AttemptEnd,
  type Clock,
  decide,
  type Emit,
  isTerminal,
  type OverlapName,
  type TracedAttempt,
  type Verdict,
} from '@escapement/core';
import { type BegunRun, type Finished, type TaskVersion, UNREADABLE, type WokenRun } from '@escapement/store';
import type { BatchWatch } from '../batches/batch-watch.ts';
import type { OwnFollowers } from '../own-followers.ts';
import type { Called } from './call.ts';
import { begunAfterMs } from './call-handler.ts';
import type { FinishCompany } from './finish-company.ts';
import { mayWait } from './may-wait.ts';
import type { RunLedger } from './run-ledger.ts';

export interface FinishParts {
  ledger: Pick<RunLedger, 'finish'>;
  batches: Pick<BatchWatch, 'advance'>;
  followers: Pick<OwnFollowers, 'ended'>;
  company: FinishCompany;
  /** Postgres' clock; null: it is not known. */
  databaseNow: () => Date | null;
  clock: Clock;
  emit: Emit;
  random: () => number;
}

/** An attempt that has ended, and how it came here. */
export interface Ended extends Called {
  /** Before it was begun in the ledger, by this worker's clock. */
  begunAt: Date;
  /** Of its job. */
  queue: string;
  /** Of the run. */
  overlap: OverlapName;
  /** Its place is for another: nothing of it is left to do here but to write its end. */
  releasePlace: () => void;
}

/** Decides what becomes of the run and writes it under the slot's fence. Returns the runs that waited for this one. */
export async function finish(run: BegunRun, ended: Ended, parts: FinishParts): Promise<WokenRun[]> {
  const { verdict, finished } = await decideAndWrite(run, ended, parts);
  if (finished && ended.task) tell(run, { ...ended, task: ended.task, verdict }, parts);
  return finished?.woken ?? [];
}

/** A run whose state somebody else has changed meanwhile fails: what it did counts on what was there before. */
async function decideAndWrite(run: BegunRun, ended: Ended, parts: FinishParts) {
  const { task, end } = ended;
  const tries = triesOf(run, task);
  const random = parts.random();
  const verdict = decide(end, tries, parts.clock.now(), random);
  await waitForCompany(run, ended, verdict, parts);
  const finished = await write(run, task, verdict, parts);
  if (finished?.result !== 'conflict') return { verdict: finished?.instead ?? verdict, finished };
  const changed = decide(STATE_CHANGED, tries, parts.clock.now(), random);
  const again = await write(run, task, changed, parts);
  return { verdict: again?.instead ?? changed, finished: again };
}

async function waitForCompany(
  run: BegunRun,
  { task, overlap, releasePlace }: Ended,
  verdict: Verdict,
  { company, databaseNow }: FinishParts,
): Promise<void> {
  if (!task || !mayWait({ run, task, overlap, verdict, now: databaseNow() })) return company.go();
  releasePlace();
  await company.wait();
}

const STATE_CHANGED: AttemptEnd = {
  kind: 'returned',
  outcome: {
    status: 'failed',
    error: {
      name: 'StateConflict',
      message: "the task's state was changed while it ran; see `escapement tasks state show` for who did",
    },
  },
};

function triesOf({ attempt, uncounted, lost }: BegunRun, task: TaskVersion | undefined) {
  const { maxLost, retry } = task?.definition ?? UNREADABLE;
  return { attempt, uncounted, lost, maxLost, retry, delivery: task?.definition.delivery ?? 'at-least-once' };
}

/** Undefined: it was refused or could not be written. */
async function write(
  run: BegunRun,
  task: TaskVersion | undefined,
  verdict: Verdict,
  { ledger, emit }: FinishParts,
): Promise<Finished | undefined> {
  const named = { run: run.runId, task: task?.name ?? run.taskId, attempt: run.attempt };
  try {
    const finished = await ledger.finish({
      runId: run.runId,
      scheduledFor: run.scheduledFor,
      seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
      fence: run.fence,
      finishId: randomUUID(),
      verdict,
      ...(task ? { countsFromEnd: task.definition.schedule.kind === 'fixed-delay' } : {}),
    });
    if (finished.result === 'refused') throw finished.error;
    if (finished.result !== 'stale') return finished;
    emit({ event: 'finish_refused', ...named });
    return undefined;
  } catch (thrown) {
    // The run stays `running` in no heartbeat: the reconciler ends or retries it.
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    emit({ event: 'finish_failed', ...named, error });
    return undefined;
  }
}

interface Decided extends Ended {
  task: TaskVersion;
  verdict: Verdict;
}

function tell(run: BegunRun, decided: Decided, parts: FinishParts): void {
  const { task, verdict, durationMs } = decided;
  if (run.batchId !== null && isTerminal(verdict.to)) parts.batches.advance(run.batchId);
  parts.followers.ended(run, task, verdict);
  parts.emit({
    event: 'run_finished',
    run: run.runId,
    task: task.name,
    pool: task.definition.pool,
    state: verdict.to,
    reason: verdict.reason,
    attempt: run.attempt,
    durationMs,
    latenessMs: begunAfterMs(run),
    traced: tracedAttempt(run, decided),
  });
}

function tracedAttempt(run: BegunRun, { task, queue, begunAt, calledAt, returnedAt }: Decided): TracedAttempt {
  const { traceparent, key, origin } = run;
  const handler = task.definition.handler.type;
  return { traceparent, queue, key, origin, handler, runDueAt: firstDueAt(run), begunAt, calledAt, returnedAt };
}

/** Later attempts have a due time of their own; a rerun has the occurrence of its original, and was asked for later. */
function firstDueAt({ attempt, dueAt, scheduledFor, createdAt }: BegunRun): Date {
  if (attempt === 1) return dueAt;
  return scheduledFor > createdAt ? scheduledFor : createdAt;
}
