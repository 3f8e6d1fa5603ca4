/** The ways in which queue and ledger can differ, or a run can be nobody's; see docs/reference/operations.md for each. */
export const DRIFT_KINDS = [
  /** `running`, but in no worker's heartbeat. */
  'lost_run',
  /** To be cancelled, and nobody runs it. */
  'cancel_pending',
  /** Not started, though its start deadline has passed. */
  'late_start',
  /** Its task, a pause or a freeze has ended it, and no worker was there to write that. */
  'decided',
  /** Queued for the pool that its task was in. */
  'left_behind',
  /** Its task was deleted, and its end is not written yet. */
  'deleted_task',
  /** It belongs to a worker that is no longer expected. */
  'gone_worker',
  /** Waiting, though its key has a free slot; or waiting to replace a run that was not asked to stop. */
  'lost_wake_up',
  /** Waiting for longer than its policy lets it. */
  'overwaited',
  /** `queued`, without a job in Redis. */
  'missing_job',
  /** `queued` and overdue; its job is there, but no worker will ever begin it. */
  'stuck_job',
  /** A job that no run waits for. */
  'extra_job',
  /** A slot of a key that is held by a run that is over. */
  'dead_slot',
  /** A lease in Redis of a run that is over. */
  'dead_lease',
] as const;

export type DriftKind = (typeof DRIFT_KINDS)[number];

/** How many of each kind; a kind that is not named: none. */
export type DriftCounts = Partial<Record<DriftKind, number>>;

export function addDrift(one: DriftCounts, other: DriftCounts): DriftCounts {
  const kinds = DRIFT_KINDS.filter((kind) => (one[kind] ?? 0) + (other[kind] ?? 0) > 0);
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}
