import { type Emit, isRunId, OVERLAP_RULES, type OverlapName, scheduledForOf, type TaskState } from '@escapement/core';
import type { Repeat } from '@escapement/queue';
import {
  type BeginRequest,
  type BeginResult,
  beginRuns,
  codeIsElsewhere,
  createGroupCommit,
  type Database,
  type Definitions,
  type DispatchableRun,
  type Finished,
  type FinishRequest,
  finishAndWake,
  lookUpRepeats,
  lookUpRuns,
  type PassOnRequest,
  passOnRun,
  type RunSketch,
  readTaskState,
  type TaskVersion,
  type WaitRequest,
  type WaitResult,
  type WokenRun,
  waitRun,
  waitRuns,
  wakeKeys,
} from '@escapement/store';
import { persist } from './persist.ts';

/**
 * What a run asks of Postgres on its way. Calls of the same moment share a statement. While Postgres is away a call is repeated,
 * for as long as the process may go on: each carries an id, or changes nothing.
 */
export interface RunLedger {
  /** Null: there is no such run. */
  lookUp(runId: string): Promise<RunSketch | null>;
  /** The run that a repeat is for; null: there is none. */
  lookUpRepeat(repeat: Repeat): Promise<RunSketch | null>;
  /** Several at once, in the order asked. Is not repeated. */
  lookUpAll(runIds: readonly string[]): Promise<(RunSketch | null)[]>;
  begin(request: BeginRequest): Promise<BeginResult>;
  wait(request: WaitRequest, overlap: OverlapName): Promise<WaitResult>;
  /** Wakes the next of a key that has more than one slot. Is not repeated. */
  wakeNext(key: string): Promise<WokenRun[]>;
  finish(request: FinishRequest): Promise<Finished>;
  definition(taskId: string, version: number): Promise<TaskVersion>;
  /** Read under the slot of a run of the key: no other run of the key changes it before that one has ended. */
  taskState(taskId: string, key: string): Promise<TaskState>;
  codeIsElsewhere(question: { name: string; pool: string; worker: string }): Promise<boolean>;
  /** Queues a run under the next dispatch that this worker cannot run; nothing: its job may not begin it any more. */
  passOn(request: PassOnRequest): Promise<DispatchableRun[]>;
}

/** The key's slots are locked meanwhile, and the run that is at work there may want to end. */
const WAITS_AT_ONCE = 16;

/** Time between two looks whether a run is proven again. */
const PROOF_LOOK_MS = 50;

export interface RunLedgerParts {
  db: Database;
  definitions: Definitions;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
  /** Whether a run that began now would stay this worker's own. */
  mayBegin: (runId: string) => boolean;
  /** The queues that this worker serves: it begins no runs of others. */
  queues: readonly string[];
  emit: Emit;
}

export function createRunLedger(parts: RunLedgerParts): RunLedger {
  const { db, definitions, mayPersist, queues, emit } = parts;
  const { lookUps, repeatLookUps, begins, waits, wakes, finishes } = groupCommits(db, queues, emit);
  const kept = <Result>(call: () => Promise<Result>) => persist(call, mayPersist);
  const beginProven = (request: BeginRequest) =>
    parts.mayBegin(request.runId)
      ? begins.submit(request)
      : untilProven(request.runId, parts).then(() => begins.submit(request));

  return {
    // What stands in Redis may be no id.
    lookUp: async (runId) => (isRunId(runId) ? (await kept(() => lookUps.submit(runId))).run : null),
    lookUpRepeat: async (repeat) => (await kept(() => repeatLookUps.submit(repeat))).run,
    lookUpAll: (runIds) => lookUpKnown(db, runIds),
    begin: (request) => kept(() => beginProven(request)),
    // One that replaces locks other runs of its key too, which members of a batch must not do one after the other.
    wait: (request, overlap) =>
      kept(() => (OVERLAP_RULES[overlap].onBusy === 'replace' ? waitRun(db, request) : waits.submit(request))),
    wakeNext: async (key) => (await wakes.submit(key)).woken,
    finish: (request) => kept(() => finishes.submit(request)),
    definition: (taskId, version) => kept(() => definitions.get(taskId, version)),
    taskState: (taskId, key) => kept(() => readTaskState(db, taskId, key)),
    codeIsElsewhere: (question) => kept(() => codeIsElsewhere(db, question)),
    passOn: (request) => kept(() => passOnRun(db, request)),
  };
}

/**
 * A worker that Postgres has not heard for long would have to abort at once what it began. It waits until a heartbeat gets through, which
 * takes no longer than a begin does.
 */
async function untilProven(runId: string, { mayBegin, mayPersist }: RunLedgerParts): Promise<void> {
  while (!mayBegin(runId)) {
    if (!mayPersist()) throw new Error('this worker ended before it could prove that the run would be its own');
    await new Promise((resolve) => setTimeout(resolve, PROOF_LOOK_MS));
  }
}

/** What stands in leases may be no id either. */
async function lookUpKnown(db: Database, runIds: readonly string[]): Promise<(RunSketch | null)[]> {
  const ids = runIds.filter(isRunId);
  const found = new Map((await lookUpRuns(db, ids.map(refOf))).map((run, index) => [ids[index], run]));
  return runIds.map((id) => found.get(id) ?? null);
}

function refOf(runId: string): { runId: string; scheduledFor: Date } {
  return { runId, scheduledFor: scheduledForOf(runId) };
}

function groupCommits(db: Database, queues: readonly string[], emit: Emit) {
  const tell = (statement: string) => (members: number) => emit({ event: 'calls_grouped', statement, members });
  return {
    lookUps: createGroupCommit({
      onBatch: tell('look_up'),
      run: async (batch: readonly string[]) => (await lookUpRuns(db, batch.map(refOf), queues)).map((run) => ({ run })),
      placeOf: () => undefined,
    }),
    repeatLookUps: createGroupCommit({
      onBatch: tell('look_up_repeat'),
      run: async (batch: readonly Repeat[]) => (await lookUpRepeats(db, batch)).map((run) => ({ run })),
      placeOf: () => undefined,
    }),
    begins: createGroupCommit({
      onBatch: tell('begin'),
      run: (batch: readonly BeginRequest[]) => beginRuns(db, batch, queues),
      placeOf: (request) => (request.slot === null ? undefined : `${request.key} ${request.slot}`),
    }),
    // Of one key they come one after the other in any case: each for itself, a crowd would have all connections.
    waits: createGroupCommit({
      onBatch: tell('wait'),
      run: (batch: readonly WaitRequest[]) => waitRuns(db, batch),
      placeOf: () => undefined,
      maxBatch: WAITS_AT_ONCE,
    }),
    wakes: createGroupCommit({
      onBatch: tell('wake'),
      run: (keys: readonly string[]) => wakeEach(db, keys),
      placeOf: () => undefined,
    }),
    finishes: createGroupCommit({
      onBatch: tell('finish'),
      run: (batch: readonly FinishRequest[]) => finishAndWake(db, batch),
      placeOf: (request) => request.runId,
    }),
  };
}

/** What was woken of a key is told to the first who asked for it. */
async function wakeEach(db: Database, keys: readonly string[]): Promise<{ woken: WokenRun[] }[]> {
  const woken = await wakeKeys(db, keys);
  return keys.map((key, index) => ({
    woken: keys.indexOf(key) === index ? woken.filter((run) => run.key === key) : [],
  }));
}
