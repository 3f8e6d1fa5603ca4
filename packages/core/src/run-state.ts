/** Every state of a run. The database has the same list as a named CHECK. */
export const RUN_STATES = [
  'planned',
  'queued',
  'waiting',
  'running',
  'retrying',
  'held',
  'unknown',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'quarantined',
  'skipped',
  'missed',
  'superseded',
] as const;

export type RunState = (typeof RUN_STATES)[number];

/** Where a row came from. `schedule`, `catch_up` and `backfill` rows are occurrences (unique by instant). */
export const RUN_ORIGINS = ['schedule', 'catch_up', 'backfill', 'trigger', 'rerun', 'chain', 'lifecycle'] as const;

export type RunOrigin = (typeof RUN_ORIGINS)[number];

const NEXT: Record<RunState, readonly RunState[]> = {
  planned: ['queued', 'waiting', 'running', 'skipped', 'missed', 'superseded', 'cancelled'],
  queued: ['running', 'waiting', 'held', 'unknown', 'failed', 'skipped', 'missed', 'superseded', 'cancelled'],
  waiting: ['queued', 'unknown', 'failed', 'skipped', 'missed', 'superseded', 'cancelled'],
  running: ['succeeded', 'failed', 'timed_out', 'cancelled', 'quarantined', 'retrying', 'skipped', 'unknown'],
  retrying: ['queued', 'waiting', 'running', 'failed', 'cancelled', 'unknown'],
  held: ['planned', 'skipped', 'missed', 'superseded', 'cancelled'],
  unknown: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  quarantined: [],
  skipped: [],
  missed: [],
  superseded: [],
};

export function isLegalMove(from: RunState, to: RunState): boolean {
  return NEXT[from].includes(to);
}

export function legalMoves(from: RunState): readonly RunState[] {
  return NEXT[from];
}

/** A terminal run never changes again (I4). */
export function isTerminal(state: RunState): boolean {
  return NEXT[state].length === 0;
}

export const TERMINAL_STATES: readonly RunState[] = RUN_STATES.filter(isTerminal);
export const OPEN_STATES: readonly RunState[] = RUN_STATES.filter((state) => !isTerminal(state));

/** Whether a run goes no further by itself: it has ended, or is `unknown` until a person resolves it. */
export function isAtRest(state: RunState): boolean {
  return isTerminal(state) || state === 'unknown';
}

/** Terminal states that call for a notice and exit code 1 of `trigger --wait`. */
export const FAILED_STATES: readonly RunState[] = ['failed', 'timed_out', 'quarantined'];

/** States in which a run can be asked to end. */
export const CANCELLABLE_STATES: readonly RunState[] = OPEN_STATES.filter((state) => isLegalMove(state, 'cancelled'));
