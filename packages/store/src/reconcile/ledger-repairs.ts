import type { DriftKind } from '@escapement/core';
import type { Database } from '../postgres/database.ts';
import { findCancelledRuns, finishCancelledRuns } from '../runs/cancel-run.ts';
import { findRunsOfDeleted, finishRunsOfDeleted } from '../runs/finish-deleted.ts';
import { findRunsOfGoneWorkers, finishRunsOfGoneWorkers } from '../runs/finish-gone-workers.ts';
import { findLateStarts, finishLateStarts } from '../runs/finish-late-starts.ts';
import { findOverwaited, finishOverwaited } from '../runs/finish-overwaited.ts';
import { findLostWakeUps, wakeWaiting } from '../runs/wake-waiting.ts';
import { findDeadSlots, freeDeadSlots } from '../slots.ts';
import type { ProbeKind } from './probe-ledger.ts';

/** One difference: the run that is concerned, or `KEY slot N`. */
export interface DriftFound {
  kind: DriftKind;
  subject: string;
}

export interface LookOptions {
  /** At most so many. */
  limit: number;
  /** A process that has not sent a heartbeat for so long is dead. Milliseconds. */
  deadMs: number;
}

/** What a look has found, and the way to put it right. */
export interface Finding {
  /** How many candidates there are: what `fix` looks at again. */
  found: number;
  /** What is wrong, for a report. */
  drift: DriftFound[];
  /** Puts right what is still as it was found. Returns how many. */
  fix(): Promise<number>;
}

/** One way in which the ledger can be wrong, which Postgres alone can put right. */
export interface LedgerRepair {
  readonly kind: DriftKind;
  /** The rows that it looks at: where there are none nothing can be wrong. */
  readonly among: ProbeKind;
  /** Changes nothing. */
  find(db: Database, options: LookOptions): Promise<Finding>;
}

/** `subjectOf`: how a report names one; null: it is looked at again, but nothing may be wrong with it. */
function repairOf<Found>(
  kind: DriftKind,
  among: ProbeKind,
  {
    find,
    subjectOf,
    fix,
  }: {
    find: (db: Database, options: LookOptions) => Promise<Found[]>;
    subjectOf: (found: Found) => string | null;
    fix: (db: Database, found: readonly Found[], options: LookOptions) => Promise<number>;
  },
): LedgerRepair {
  return {
    kind,
    among,
    async find(db, options) {
      const found = await find(db, options);
      const subjects = found.map(subjectOf).filter((subject) => subject !== null);
      return {
        found: found.length,
        drift: subjects.map((subject) => ({ kind, subject })),
        fix: async () => (found.length === 0 ? 0 : await fix(db, found, options)),
      };
    },
  };
}

/** In the order in which a pass takes them: who is woken takes the slots that were freed. */
export const LEDGER_REPAIRS: readonly LedgerRepair[] = [
  repairOf('cancel_pending', 'cancelling', {
    find: (db, { limit }) => findCancelledRuns(db, limit),
    subjectOf: ({ id }) => id,
    fix: (db, found) => finishCancelledRuns(db, found),
  }),
  repairOf('late_start', 'late', {
    find: (db, options) => findLateStarts(db, options),
    subjectOf: ({ id }) => id,
    fix: (db, found) => finishLateStarts(db, found),
  }),
  repairOf('deleted_task', 'deleted', {
    find: (db, { limit }) => findRunsOfDeleted(db, { limit }),
    subjectOf: ({ name, runs }) => (runs.length > 0 ? name : null),
    fix: (db, found, { limit }) => finishRunsOfDeleted(db, found, limit),
  }),
  repairOf('gone_worker', 'of_workers', {
    find: (db, { limit }) => findRunsOfGoneWorkers(db, limit),
    subjectOf: ({ id }) => id,
    fix: (db, found) => finishRunsOfGoneWorkers(db, found),
  }),
  repairOf('dead_slot', 'slots', {
    find: (db, { limit }) => findDeadSlots(db, limit),
    subjectOf: ({ key, slot }) => `${key} slot ${slot}`,
    fix: (db, found) => freeDeadSlots(db, found),
  }),
  // The jobs of who is woken are missing, and added as such.
  repairOf('lost_wake_up', 'waiting', {
    find: (db, { limit }) => findLostWakeUps(db, limit),
    subjectOf: ({ runId, hasRoom, behind }) => (hasRoom && !behind ? runId : null),
    fix: async (db, found) => (await wakeWaiting(db, found)).length,
  }),
  repairOf('overwaited', 'waiting', {
    find: (db, { limit }) => findOverwaited(db, limit),
    subjectOf: ({ id }) => id,
    fix: (db, found) => finishOverwaited(db, found),
  }),
];
