import {
  type AttemptEnd,
  EscapementError,
  isNoted,
  isTerminal,
  type Json,
  renderKey,
  toRunError,
  type Verdict,
} from '@escapement/core';
import {
  checkDepth,
  type Enqueue,
  everyWorkerFollows,
  type MakerDeps,
  permitStarts,
  processOutbox,
  withNearest,
} from '@escapement/operations';
import { type BegunRun, createGroupCommit, outboxEntriesOf, type TaskVersion, targetTasks } from '@escapement/store';
import { persist } from './execute/persist.ts';

export interface OwnFollowersDeps extends MakerDeps {
  enqueue: Enqueue;
  mayPersist: () => boolean;
  onError: (error: unknown) => void;
}

/** What a worker does at once about what follows its own runs. */
export interface OwnFollowers {
  began(run: BegunRun, task: TaskVersion): void;
  /** The end of an attempt, or a failure where it asks for runs that cannot be made. */
  check(end: AttemptEnd, run: BegunRun): Promise<AttemptEnd>;
  ended(run: BegunRun, task: TaskVersion, verdict: Verdict): void;
  /** Resolves once nothing is under way. Never rejects. */
  idle(): Promise<void>;
}

/** Should it fail, or the worker die, a scheduler does it a little later. */
export function createOwnFollowers(deps: OwnFollowersDeps): OwnFollowers {
  const underWay = new Set<Promise<void>>();
  const makes = createGroupCommit({
    run: async (runIds: readonly string[]) => {
      await deps.enqueue(await processOutbox(await outboxEntriesOf(deps.db, runIds), deps));
      return runIds;
    },
    placeOf: (runId) => runId,
    maxInFlight: 1,
  });

  function make(runId: string): void {
    const making = makes.submit(runId).then(() => undefined, deps.onError);
    underWay.add(making);
    void making.then(() => underWay.delete(making));
  }

  return {
    began(run, { definition }) {
      if (run.attempt === 1 && isNoted(definition, 'running')) make(run.runId);
    },
    async check(end, run) {
      if (end.kind !== 'returned' || end.outcome.status !== 'succeeded' || !end.outcome.effects) return end;
      const { chain, next } = end.outcome.effects;
      try {
        if (next !== undefined) await persist(() => checkNext(deps, run), deps.mayPersist);
        if (chain) await persist(() => checkChain(deps, chain, run), deps.mayPersist);
        return end;
      } catch (error) {
        if (!(error instanceof EscapementError)) throw error;
        return { kind: 'returned', outcome: { status: 'failed', error: toRunError(error), retry: 'never' } };
      }
    },
    ended(run, { definition }, { to, effects }) {
      const asked = effects?.chain !== undefined || effects?.next instanceof Date;
      if (asked || (isTerminal(to) && isNoted(definition, to))) make(run.runId);
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}

/** Throws `every_worker_has_no_next`. */
async function checkNext(
  { definitions }: Pick<OwnFollowersDeps, 'definitions'>,
  { taskId, taskVersion }: BegunRun,
): Promise<void> {
  const { definition } = await definitions.get(taskId, taskVersion);
  if (definition.runOn === undefined) return;
  throw new EscapementError(
    'every_worker_has_no_next',
    'it decides when its task is due next, which runs on every worker',
    {
      fix: 'leave out ctx.scheduleNext, or runOn of the task',
    },
  );
}

/** Throws `not_allowed`, `unknown_task`, `chain_too_deep`, and what `renderKey` does: while the handler can still be told, as a failure. */
async function checkChain(
  { db, definitions }: Pick<OwnFollowersDeps, 'db' | 'definitions'>,
  chain: readonly { task: string; payload?: Json }[],
  { runId, taskId, taskVersion, depth }: BegunRun,
): Promise<void> {
  const names = [...new Set(chain.map(({ task }) => task))];
  await permitStarts(db, { runId, task: await definitions.get(taskId, taskVersion) }, names);
  const targets = await targetTasks(db, names);
  for (const { task, payload } of chain) {
    checkDepth(task, depth + 1);
    const target = targets.get(task);
    if (!target)
      throw await withNearest(
        db,
        new EscapementError('unknown_task', `it chains "${task}", and there is no such task`),
        task,
      );
    if (target.onEveryWorker) throw everyWorkerFollows(task);
    renderKey(target.keyTemplate, payload ?? target.payload);
  }
}
