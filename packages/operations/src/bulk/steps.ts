import { type BulkAction, type BulkProgress, type By, type Chosen, newRunId, scheduledForOf } from '@escapement/core';
import {
  type ChosenState,
  chooseRuns,
  chosenStates,
  countChosen,
  countHeld,
  countPauses,
  type Database,
  type HeldChoice,
  heldRuns,
  pausedTasks,
  pingDatabase,
  type RunKind,
} from '@escapement/store';
import { cancelChosen, dropChosen, type Refused, releaseChosen, rerunChosen, resolveChosen } from './change-chosen.ts';
import { pauseChosen, resumeChosen, triggerChosen } from './change-tasks.ts';

/** Runs or tasks behind those that were chosen already. */
export interface Page {
  after: BulkProgress['after'];
  limit: number;
}

/** With what the choice goes on from. */
export interface ChosenInOrder extends Chosen {
  priority: number;
  /** As `BulkProgress.after` has it. Default: 1. */
  place?: number;
}

/** A part of a bulk action: which runs or tasks, what is done to them, and how one sees that it was done. */
export interface BulkStep {
  /** What is chosen. Default: runs. */
  of?: 'tasks';
  /** What they count as. */
  counts: 'done' | 'dropped';
  count: (db: Database) => Promise<number>;
  choose: (db: Database, page: Page) => Promise<ChosenInOrder[]>;
  /** Changes what still can be changed. May be repeated. */
  change: (db: Database, chunk: readonly Chosen[], by: By) => Promise<Refused[]>;
  /** The chosen ones to which it was done, by whomever. */
  done: (db: Database, chunk: readonly Chosen[]) => Promise<number>;
}

/** The steps of an act, one after the other. */
export function stepsOf(bulkAction: BulkAction): BulkStep[] {
  switch (bulkAction.kind) {
    case 'cancel_runs':
      return [cancelStep(bulkAction)];
    case 'rerun_runs':
      return [rerunStep(bulkAction, { kind: 'ended', action: 'rerun', sameVersion: bulkAction.sameVersion })];
    case 'redrive_runs':
      return [rerunStep(bulkAction, { kind: 'dead', action: 'redrive', sameVersion: false })];
    case 'resolve_runs':
      return [resolveStep(bulkAction)];
    case 'redrive_named':
      return [redriveNamedStep(bulkAction)];
    case 'drop_held':
      return [dropStep(bulkAction, bulkAction.latestOnly ? 'newest' : 'all', 'done')];
    case 'run_held':
      return bulkAction.latestOnly
        ? [dropStep(bulkAction, 'older', 'dropped'), releaseStep(bulkAction, 'newest')]
        : [releaseStep(bulkAction, 'all')];
    case 'pause_tasks':
      return [pauseStep(bulkAction)];
    case 'resume_tasks':
      return [resumeStep(bulkAction)];
    case 'trigger_tasks':
      return [triggerStep(bulkAction)];
  }
}

type Selecting = Extract<BulkAction, { states: unknown }>;

function cancelStep(bulkAction: Selecting): BulkStep {
  return {
    counts: 'done',
    ...choice('open', bulkAction),
    change: cancelChosen,
    done: (db, chunk) => countStates(db, chunk, ({ cancelRequested }) => cancelRequested),
  };
}

interface RerunTerms {
  kind: RunKind;
  action: 'rerun' | 'redrive';
  sameVersion: boolean;
}

function rerunStep(bulkAction: Selecting, { kind, ...terms }: RerunTerms): BulkStep {
  const { count, choose } = choice(kind, bulkAction);
  return {
    counts: 'done',
    count,
    async choose(db, page) {
      const runs = await choose(db, page);
      return runs.map((run) => ({ ...run, newId: newRunId(scheduledForOf(run.id)) }));
    },
    change: (db, chunk, by) => rerunChosen(db, chunk, { ...terms, by }),
    async done(db, chunk) {
      return (await chosenStates(db, newIdsOf(chunk))).size;
    },
  };
}

function resolveStep(bulkAction: Extract<BulkAction, { kind: 'resolve_runs' }>): BulkStep {
  return {
    counts: 'done',
    ...choice('unknown', bulkAction),
    change: (db, chunk, by) => resolveChosen(db, chunk, { as: bulkAction.as, by }),
    done: (db, chunk) => countStates(db, chunk, ({ state }) => state !== 'unknown'),
  };
}

function redriveNamedStep({ runs }: Extract<BulkAction, { kind: 'redrive_named' }>): BulkStep {
  return {
    counts: 'done',
    count: async () => runs.length,
    async choose(_, { after, limit }) {
      const from = after ? runs.indexOf(after.id) + 1 : 0;
      return runs.slice(from, from + limit).map((id) => ({ id, newId: newRunId(scheduledForOf(id)), priority: 0 }));
    },
    change: (db, chunk, by) => rerunChosen(db, chunk, { action: 'redrive', sameVersion: false, by }),
    done: async (db, chunk) => (await chosenStates(db, newIdsOf(chunk))).size,
  };
}

function newIdsOf(chunk: readonly Chosen[]): string[] {
  return chunk.flatMap(({ newId }) => newId ?? []);
}

type OnTasks = Extract<BulkAction, { kind: `${string}_tasks` }>;

function pauseStep(bulkAction: Extract<OnTasks, { kind: 'pause_tasks' }>): BulkStep {
  return {
    ...taskChoice(bulkAction),
    change: (db, chunk, by) => pauseChosen(db, chunk, { untilAt: bulkAction.untilAt, by }),
    done: (db, chunk) => countPauses(db, newIdsOf(chunk)),
  };
}

function resumeStep(bulkAction: OnTasks): BulkStep {
  return {
    ...taskChoice(bulkAction),
    change: resumeChosen,
    async done(db, chunk) {
      const names = chunk.map(({ id }) => id);
      return names.length - (await pausedTasks(db, names)).size;
    },
  };
}

function triggerStep(bulkAction: OnTasks): BulkStep {
  return {
    ...taskChoice(bulkAction),
    change: triggerChosen,
    done: async (db, chunk) => (await chosenStates(db, newIdsOf(chunk))).size,
  };
}

/** The tasks in the order in which they were chosen when it was asked for. */
function taskChoice({ tasks }: OnTasks): Pick<BulkStep, 'of' | 'counts' | 'count' | 'choose'> {
  return {
    of: 'tasks',
    counts: 'done',
    count: async () => tasks.length,
    async choose(db, { after, limit }) {
      const from = after ? tasks.indexOf(after.id) + 1 : 0;
      const { now } = await pingDatabase(db);
      return tasks.slice(from, from + limit).map((id) => ({ id, newId: newRunId(now), priority: 0 }));
    },
  };
}

function choice(kind: RunKind, which: Selecting): Pick<BulkStep, 'count' | 'choose'> {
  return {
    async count(db) {
      return Math.min(await countChosen(db, kind, which), which.limit ?? Number.POSITIVE_INFINITY);
    },
    async choose(db, { after, limit }) {
      const ids = await chooseRuns(db, kind, which, { after: after?.id ?? null, limit });
      return ids.map((id) => ({ id, priority: 0 }));
    },
  };
}

type OnHeld = Extract<BulkAction, { kind: `${string}_held` }>;

function dropStep(bulkAction: OnHeld, which: HeldChoice, counts: BulkStep['counts']): BulkStep {
  const reason = which === 'older' ? 'only the newest misfired one is run' : null;
  return {
    counts,
    ...heldChoice(bulkAction, which),
    change: (db, chunk, by) => dropChosen(db, chunk, { ...by, reason: by.reason ?? reason }),
    done: (db, chunk) => countStates(db, chunk, ({ state }) => state === 'missed'),
  };
}

const NOT_RELEASED: readonly ChosenState['state'][] = ['held', 'missed', 'superseded', 'cancelled'];

function releaseStep(bulkAction: Extract<OnHeld, { kind: 'run_held' }>, which: HeldChoice): BulkStep {
  return {
    counts: 'done',
    ...heldChoice(bulkAction, which, bulkAction.order),
    change: releaseChosen,
    done: (db, chunk) => countStates(db, chunk, ({ state }) => !NOT_RELEASED.includes(state)),
  };
}

function heldChoice(
  { tasks, runs }: OnHeld,
  which: HeldChoice,
  order: readonly string[] = [],
): Pick<BulkStep, 'count' | 'choose'> {
  const options = { tasks, choice: which, runs };
  return {
    count: (db) => countHeld(db, options),
    async choose(db, { after, limit }) {
      const runs = await heldRuns(db, {
        ...options,
        after: after ? { ...after, scheduledFor: scheduledForOf(after.id), dispatch: 0 } : undefined,
        limit,
        order,
      });
      return runs.map(({ id, priority, place }) => ({ id, priority, place }));
    },
  };
}

async function countStates(
  db: Database,
  chunk: readonly Chosen[],
  fits: (run: ChosenState) => boolean,
): Promise<number> {
  const states = await chosenStates(
    db,
    chunk.map(({ id }) => id),
  );
  return [...states.values()].filter(fits).length;
}
