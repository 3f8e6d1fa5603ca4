import {
  type Database,
  dropHeld,
  type HeldChoice,
  type HeldRun,
  heldRuns,
  pingDatabase,
  releaseHeld,
} from '@escapement/store';

/** Runs changed by one statement. */
const BATCH = 500;

export interface RecoveryRequest {
  /** Of this task only; undefined: of all. */
  task: string | undefined;
  /** The newest of each task only. */
  latestOnly: boolean;
  who: string;
  /** Why, in their own words. */
  note: string | undefined;
}

/**
 * Lets held runs go on by priority of their tasks, then in order of their occurrence, `spacingMs` apart (0: all at once); in each key they run one after
 * the other. With `latestOnly` the newest of each task, the older ones end as missed. Returns how many of each.
 */
export async function runHeld(
  db: Database,
  { task, latestOnly, who, note, spacingMs }: RecoveryRequest & { spacingMs: number },
): Promise<{ released: number; dropped: number }> {
  const { now } = await pingDatabase(db);
  const dropped = latestOnly
    ? await eachBatch(db, { task, choice: 'older' }, (runs) =>
        dropHeld(db, runs, { who, note: note ?? 'only the newest misfired one is run' }),
      )
    : 0;
  let first = 0;
  const released = await eachBatch(db, { task, choice: latestOnly ? 'newest' : 'all' }, async (runs) => {
    const timed = runs.map((run, index) => ({
      ...run,
      dueAt: new Date(now.getTime() + Math.round((first + index) * spacingMs)),
    }));
    first += runs.length;
    return await releaseHeld(db, timed, { who, note });
  });
  return { released, dropped };
}

/** Ends held runs as missed, with `latestOnly` only the newest of each task. Returns how many. */
export async function dropHeldRuns(db: Database, { task, latestOnly, who, note }: RecoveryRequest): Promise<number> {
  return await eachBatch(db, { task, choice: latestOnly ? 'newest' : 'all' }, (runs) =>
    dropHeld(db, runs, { who, note }),
  );
}

async function eachBatch(
  db: Database,
  which: { task: string | undefined; choice: HeldChoice },
  change: (runs: readonly HeldRun[]) => Promise<number>,
): Promise<number> {
  let changed = 0;
  let after: HeldRun | undefined;
  for (;;) {
    const runs = await heldRuns(db, { ...which, after, limit: BATCH });
    if (runs.length > 0) changed += await change(runs);
    if (runs.length < BATCH) return changed;
    after = runs.at(-1);
  }
}
