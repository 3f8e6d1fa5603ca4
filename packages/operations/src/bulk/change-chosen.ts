import { type BulkResult, type By, type Chosen, EscapementError, type Resolution } from '@escapement/core';
import {
  chosenHeld,
  chosenRerunnables,
  type Database,
  dropHeld,
  findRun,
  type RerunRequest,
  releaseHeld,
  requestCancel,
  rerunRuns,
  rerunTerms,
  resolveRun,
} from '@escapement/store';

/** A run that cannot be run again, or a task that cannot be triggered, and why. */
export type Refused = BulkResult['refused'][number];

/** Changed at once: each is a statement or two. */
const AT_ONCE = 4;

/** Cancels the chosen runs; runs that have ended are left alone. */
export async function cancelChosen(db: Database, chunk: readonly Chosen[], by: By): Promise<Refused[]> {
  await forEach(chunk, ({ id }) => requestCancel(db, id, by));
  return [];
}

/** A few at a time. */
export async function forEach(chunk: readonly Chosen[], change: (each: Chosen) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < chunk.length; from += AT_ONCE)
    await Promise.all(chunk.slice(from, from + AT_ONCE).map(change));
}

/** Makes the reruns of the chosen runs, but those that are there already. */
export async function rerunChosen(
  db: Database,
  chunk: readonly Chosen[],
  terms: Omit<RerunRequest, 'once'>,
): Promise<Refused[]> {
  const rerunIds = new Map(chunk.map(({ id, newId }) => [id, newId]));
  const runs = await chosenRerunnables(db, [...rerunIds.keys()]);
  const refused: Refused[] = [];
  const fitting = runs.flatMap((run) => {
    try {
      return [{ ...run, ...rerunTerms(run, terms.sameVersion, rerunIds.get(run.runId)) }];
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      refused.push({ runId: run.runId, taskName: run.task.name, why: error.message });
      return [];
    }
  });
  await rerunRuns(db, fitting, { ...terms, once: terms.action === 'redrive' });
  return refused;
}

/** Says what became of the chosen runs; those of which it is known already are left alone. */
export async function resolveChosen(
  db: Database,
  chunk: readonly Chosen[],
  { as, by }: { as: Resolution; by: By },
): Promise<Refused[]> {
  const refused: Refused[] = [];
  await forEach(chunk, async ({ id }) => {
    const why = await resolveRun(db, id, { as, by }).then(
      (result) => (result.kind === 'task_deleted' ? `its task ${result.taskName} was deleted` : undefined),
      (error: unknown) => {
        if (error instanceof EscapementError) return error.message;
        throw error;
      },
    );
    if (why !== undefined) refused.push({ runId: id, taskName: (await findRun(db, id))?.taskName ?? '', why });
  });
  return refused;
}

/** Releases the chosen runs, each at its own time; runs that are no longer held are left alone. */
export async function releaseChosen(db: Database, chunk: readonly Chosen[], by: By): Promise<Refused[]> {
  const dueAt = new Map(chunk.map((run) => [run.id, run.dueAt]));
  const runs = await heldOf(db, chunk);
  await releaseHeld(
    db,
    runs.map((run) => ({ ...run, dueAt: new Date(dueAt.get(run.id) ?? run.scheduledFor) })),
    by,
  );
  return [];
}

/** Ends the chosen runs as missed; runs that are no longer held are left alone. */
export async function dropChosen(db: Database, chunk: readonly Chosen[], by: By): Promise<Refused[]> {
  await dropHeld(db, await heldOf(db, chunk), by);
  return [];
}

function heldOf(db: Database, chunk: readonly Chosen[]): ReturnType<typeof chosenHeld> {
  return chosenHeld(
    db,
    chunk.map(({ id }) => id),
  );
}
