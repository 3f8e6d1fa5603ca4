/** A row of the ledger to be: one occurrence, or a stretch of them that never runs. */
export interface PlannedOccurrence {
  scheduledFor: Date;
  /** When it may start. */
  dueAt: Date;
  /** What has not begun by then is a misfire, and is judged again; null: it is not. */
  misfireAt: Date | null;
  origin: 'schedule' | 'catch_up';
  state: 'planned' | 'held' | 'missed' | 'skipped';
  reason: string | null;
  /** It waits its turn in the key whatever the task's overlap policy: the runs it comes with must not skip it. */
  inTurn: boolean;
  /** Last occurrence of a stretch; null: a single one. */
  untilAt: Date | null;
  occurrences: number;
}
