import { randomBytes } from 'node:crypto';
import {
  chainedFollowers,
  EscapementError,
  type Follower,
  followersOfFinish,
  followersOfStart,
  MAX_CHAIN_DEPTH,
  NEXT_ORDINAL,
  nearest,
  newRunId,
  renderKey,
  SECOND,
} from '@escapement/core';
import { pausedReason } from '@escapement/core/plan';
import type { Tracing } from '@escapement/core/traces';
import {
  type Database,
  type FollowerRun,
  type OutboxEntry,
  type OutboxOutcome,
  type TargetTask,
  type TaskVersion,
  taskNames,
} from '@escapement/store';

/** Tries over some two and a half hours: after 5 s, 10 s, 20 s, ... at most an hour apart. */
const MAX_TRIES = 12;
const FIRST_RETRY_MS = 5 * SECOND;
const LAST_RETRY_MS = 3600 * SECOND;

/** What no later try would make good: it lies in the run, which does not change. */
const HOPELESS = new Set(['unknown_template_field', 'bad_template', 'chain_too_deep', 'json_too_large', 'run_pruned']);

/** What an outbox entry asks for, before its tasks are looked up. */
export interface Asked {
  note: OutboxEntry;
  followers: Follower[];
  problems: EscapementError[];
}

/** Reads from an outbox entry, and from the definition of its run's task, what is to be run. */
export function askedBy(note: OutboxEntry, definition: TaskVersion['definition'] | undefined): Asked {
  const { what, run } = note;
  if (!run) return { note, followers: [], problems: [new EscapementError('run_pruned', 'its run was pruned')] };
  switch (what.event) {
    case 'chain':
      return { note, followers: chainedFollowers(what.chain), problems: [] };
    case 'next':
      return {
        note,
        followers: [{ task: run.task, origin: 'chain', ordinal: NEXT_ORDINAL, payload: run.payload }],
        problems: [],
      };
    case 'started':
      return { note, followers: definition ? followersOfStart(definition, run) : [], problems: [] };
    case 'finished':
      return { note, ...(definition ? followersOfFinish(definition, run) : { followers: [], problems: [] }) };
  }
}

/** What the rows are made with. */
interface Maker {
  targets: ReadonlyMap<string, TargetTask>;
  tracing: Pick<Tracing, 'afterRun'>;
}

/** The runs that follow, as rows; and what becomes of the outbox entry. One that cannot be made does not cost the others. */
export function rowsOf(
  { note, followers, problems }: Asked,
  maker: Maker,
): { runs: FollowerRun[]; problems: EscapementError[] } {
  const runs: FollowerRun[] = [];
  const found = [...problems];
  for (const follower of followers) {
    // A task that was deleted meanwhile is due no more.
    if (note.what.event === 'next' && !maker.targets.has(follower.task)) continue;
    try {
      runs.push(rowOf(note, follower, maker));
    } catch (error) {
      found.push(error instanceof EscapementError ? error : new EscapementError('followers_failed', String(error)));
    }
  }
  return { runs, problems: found };
}

function rowOf({ id, what, notedAt, run }: OutboxEntry, follower: Follower, { targets, tracing }: Maker): FollowerRun {
  const target = targets.get(follower.task);
  if (!target) throw new EscapementError('unknown_task', `there is no task "${follower.task}"`);
  if (target.onEveryWorker) throw everyWorkerFollows(follower.task);
  const depth = what.event === 'next' ? 0 : (run?.depth ?? 0) + 1;
  checkDepth(follower.task, depth);
  // Always the same for an outbox entry, so that the unique key finds what was made already.
  const scheduledFor = what.event === 'next' ? what.at : notedAt;
  const paused = what.event === 'next' ? what.paused : null;
  return {
    noteId: id,
    id: newRunId(scheduledFor, inOrder(follower.ordinal)),
    scheduledFor,
    task: { id: target.id, version: target.version },
    origin: follower.origin,
    key: renderKey(target.keyTemplate, follower.payload ?? target.payload),
    payload: follower.payload,
    ordinal: follower.ordinal,
    depth,
    // The next run of its own task is no part of what this one has caused.
    traceparent: run && what.event !== 'next' ? tracing.afterRun(run) : null,
    state: paused ? 'skipped' : 'planned',
    reason: paused && pausedReason(paused.note),
  };
}

/** Ids of the same instant go by the ordinal: where runs wait for each other, that is the order in which they were asked for. */
function inOrder(ordinal: number): Uint8Array {
  const random = randomBytes(10);
  random.writeUInt16BE(Math.max(0, ordinal));
  return random;
}

/** What follows a run is one run. */
export function everyWorkerFollows(task: string): EscapementError {
  return new EscapementError(
    'every_worker_follows',
    `task "${task}" runs on every worker, and what follows a run is one run`,
    {
      fix: 'name a task that does not run on every worker; it may be triggered on each worker by a program or person',
    },
  );
}

/** Throws `chain_too_deep`. */
export function checkDepth(task: string, depth: number): void {
  if (depth <= MAX_CHAIN_DEPTH) return;
  throw new EscapementError(
    'chain_too_deep',
    `a run of ${task} would be number ${depth} of a chain, which may have ${MAX_CHAIN_DEPTH}`,
    { fix: 'a task that goes on and on decides with ctx.scheduleNext() when it is due next' },
  );
}

/** The same with the nearest name where a task is unknown. */
export async function withNearest(db: Database, problem: EscapementError, task: string): Promise<EscapementError> {
  if (problem.code !== 'unknown_task') return problem;
  const near = nearest(task, await taskNames(db));
  return new EscapementError('unknown_task', problem.message, {
    fix: near ? `did you mean ${near}?` : 'see `escapement tasks list`',
  });
}

/** Whether, and when, what could not be done is tried again. */
export function outcomeOf({ id, tries }: OutboxEntry, problems: readonly EscapementError[]): OutboxOutcome {
  if (problems.length === 0) return { noteId: id, error: null, retryInMs: null };
  const error = problems.map(({ message, fix }) => (fix ? `${message} (${fix})` : message)).join('; ');
  const hopeless = problems.every(({ code }) => HOPELESS.has(code)) || tries + 1 >= MAX_TRIES;
  return { noteId: id, error, retryInMs: hopeless ? null : Math.min(FIRST_RETRY_MS * 2 ** tries, LAST_RETRY_MS) };
}
