import { type CancelRequest, cancelledReason } from './cancel.ts';
import { formatSpan } from './format-span.ts';
import { frozenReason, pausedReason, poolPausedReason } from './plan/pause.ts';
import type { RunState } from './run-state.ts';
import { startMissedReason } from './start-deadline.ts';

/** Why a run may not begin now. Where several hold it is told the first of them. The conditions are in the store's admission.ts. */
export const NOT_BEGUN_CODES = [
  /** The job is an old one, or somebody else has begun or ended the run. */
  'stale',
  /** The lease is for a slot that the run's key does not have. */
  'no_such_slot',
  'cancelled',
  'task_deleted',
  /** Planned before an edit of its task, and due after it. */
  'edited',
  /** The fleet is frozen at its instant. */
  'frozen',
  'paused',
  /** Its start deadline has passed. */
  'start_missed',
  /** Not due yet. */
  'early',
  /** Its pool is paused. */
  'pool_paused',
  /** Too late to be started without the task's catch-up policy. */
  'misfired',
  /** A newer run of the key takes its place. */
  'replaced',
  /** An earlier run of the key has to begin first. */
  'behind',
  /** The key has as many holders as it may have. */
  'key_full',
  /** The slot is held; another one may be free. */
  'slot_taken',
] as const;

export type NotBegunCode = (typeof NOT_BEGUN_CODES)[number];

/** What the words of a reason are made of. */
export interface NotBegunFacts {
  key: string;
  attempt: number;
  cancel: CancelRequest;
  /** Of the freeze that the run's instant falls into. */
  freezeNote: string | null;
  /** Of the pause that the run's instant falls into. */
  pauseNote: string | null;
  pool: string;
  /** Of the pause of its pool; null: that is not paused. Empty: it has no note. */
  poolPauseNote: string | null;
  /** How late it might have started, and how late it is. Milliseconds; negative: not due yet. */
  deadlineMs: number;
  lateMs: number;
  /** The run in its way. */
  holder: string;
}

interface NotBegun {
  /** The state that the run ends in; null: it stays as it is, or waits. */
  endsAs: Extract<RunState, 'cancelled' | 'superseded' | 'skipped' | 'missed'> | null;
  /** A plain sentence: the reason in the ledger, where the run ends by it. */
  words: (facts: NotBegunFacts) => string;
  /** What somebody can do who wants it to run. */
  advice: string;
}

/** Why a run has ended whose task was deleted before it began, or between its attempts. */
export const TASK_DELETED = 'the task was deleted';

const RUN_ANEW = '`escapement tasks trigger` runs the task now';

/** What follows from each code. */
export const NOT_BEGUN: { readonly [Code in NotBegunCode]: NotBegun } = {
  stale: {
    endsAs: null,
    words: () => 'its job is an old one',
    advice: 'nothing: the run has gone on, or has another job',
  },
  no_such_slot: {
    endsAs: null,
    words: ({ key }) => `the key "${key}" has fewer slots now`,
    advice: 'nothing: the run is tried again',
  },
  cancelled: {
    endsAs: 'cancelled',
    words: ({ cancel, attempt }) => cancelledReason(cancel, attempt === 0 ? 'before it started' : 'between attempts'),
    advice: '`escapement runs rerun` runs it again',
  },
  task_deleted: {
    endsAs: 'cancelled',
    words: () => TASK_DELETED,
    advice: 'save the task again, then `escapement runs rerun` makes a new run',
  },
  edited: {
    endsAs: 'superseded',
    words: () => 'the task was edited',
    advice: 'nothing: the new version has its own runs',
  },
  frozen: {
    endsAs: 'skipped',
    words: ({ freezeNote }) => frozenReason(freezeNote),
    advice: `\`escapement unfreeze\` ends the freeze; ${RUN_ANEW}`,
  },
  paused: {
    endsAs: 'skipped',
    words: ({ pauseNote }) => pausedReason(pauseNote),
    advice: `\`escapement tasks resume\` ends the pause; ${RUN_ANEW}`,
  },
  start_missed: {
    endsAs: 'missed',
    words: ({ deadlineMs, lateMs }) => startMissedReason({ deadlineMs, lateMs }),
    advice: `${RUN_ANEW}; \`startDeadlineMs\` of the task says how late a run may start`,
  },
  early: {
    endsAs: null,
    words: ({ lateMs }) => `it is due in ${formatSpan(Math.max(0, -lateMs))}`,
    advice: `wait; ${RUN_ANEW}`,
  },
  pool_paused: {
    endsAs: null,
    words: ({ pool, poolPauseNote }) => poolPausedReason(pool, poolPauseNote),
    advice: '`escapement pools resume` ends the pause',
  },
  misfired: {
    endsAs: null,
    words: ({ lateMs }) =>
      `it is ${formatSpan(Math.max(0, lateMs))} late, and a scheduler decides by the task's catch-up policy`,
    advice: 'see that a scheduler runs; `catchUp` of the task says what becomes of late runs',
  },
  replaced: {
    endsAs: 'skipped',
    words: ({ holder }) => replacedReason(holder),
    advice: 'nothing: the newer run takes its place',
  },
  behind: {
    endsAs: null,
    words: ({ key, holder }) => `run ${holder} of the key "${key}" goes first`,
    advice: 'wait, or cancel the run that goes first: `escapement runs cancel`',
  },
  key_full: {
    endsAs: null,
    words: ({ key, holder }) => `the key "${key}" is held by run ${holder}`,
    advice: '`escapement keys show` says who holds the key; cancel the holder, or raise `limit` of the task',
  },
  slot_taken: {
    endsAs: null,
    words: ({ key, holder }) => `a slot of the key "${key}" is held by run ${holder}`,
    advice: 'nothing: another slot is tried',
  },
};

/** How it is worded that a run was ready to wait until now and no longer. `holder`: null where it waited for a rate. */
export function overwaitedReason(key: string, holder: string | null, waitedMs: number): string {
  const obstacle = holder === null ? 'it was over its rate' : `the key "${key}" was held by run ${holder}`;
  return `${obstacle}, and it had waited for ${formatSpan(waitedMs)}`;
}

/** How it is worded that a newer run of the key has taken its place. */
export function replacedReason(by: string): string {
  return `replaced by run ${by} before it started`;
}
