/** Where the time went between when a run was due and when it began. Milliseconds. */
export interface Lateness {
  totalMs: number;
  /** Until its row was made: planners were late, or nobody had asked for it yet. */
  plannedMs: number;
  /** Until it was given to the queue again after that: it waited for its key or a rate. */
  waitedMs: number;
  /** The rest: until a worker had taken it from the queue and begun it. */
  queuedMs: number;
}

interface BegunRun {
  attempt: number;
  createdAt: Date;
  dueAt: Date;
  startedAt: Date | null;
  waitingSince: Date | null;
}

/**
 * Why a run began when it did; null: it has not begun, or has been tried again: then its due time is that of the last attempt. The parts
 * add up to the whole.
 */
export function partsOfLateness({ attempt, createdAt, dueAt, startedAt, waitingSince }: BegunRun): Lateness | null {
  if (attempt !== 1 || !startedAt || startedAt < dueAt) return null;
  const [due, begun] = [dueAt.getTime(), startedAt.getTime()];
  const within = (at: Date) => Math.min(begun, Math.max(due, at.getTime()));
  const planned = within(createdAt);
  // What waited was found waiting by the worker that wanted to begin it, and begun as soon as it was its turn.
  const waited = waitingSince === null ? begun : Math.max(planned, within(waitingSince));
  return { totalMs: begun - due, plannedMs: planned - due, waitedMs: begun - waited, queuedMs: waited - planned };
}
