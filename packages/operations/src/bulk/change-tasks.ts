import { type By, type Chosen, EscapementError, scheduledForOf } from '@escapement/core';
import { type Database, findTask, pauseTask, resumeTask } from '@escapement/store';
import { triggerAs } from '../tasks/trigger-task.ts';
import { forEach, type Refused } from './change-chosen.ts';

/** Pauses the chosen tasks, each once; what is no longer there is left alone. */
export async function pauseChosen(
  db: Database,
  chunk: readonly Chosen[],
  { untilAt, by }: { untilAt: string | null; by: By },
): Promise<Refused[]> {
  const until = untilAt === null ? null : new Date(untilAt);
  await forEach(chunk, ({ id: name, newId }) => pauseTask(db, { name, untilAt: until, by, pauseId: newId }));
  return [];
}

/** Ends the pauses of the chosen tasks. */
export async function resumeChosen(db: Database, chunk: readonly Chosen[], by: By): Promise<Refused[]> {
  await forEach(chunk, ({ id: name }) => resumeTask(db, name, by));
  return [];
}

/** Makes a run of each of the chosen tasks, but those that are there already. */
export async function triggerChosen(db: Database, chunk: readonly Chosen[], by: By): Promise<Refused[]> {
  const refused: Refused[] = [];
  await forEach(chunk, async ({ id: name, newId }) => {
    const task = await findTask(db, name);
    if (!task || newId === undefined) return;
    try {
      await triggerAs(db, task, { id: newId, scheduledFor: scheduledForOf(newId), by });
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      refused.push({ runId: null, taskName: name, why: error.message });
    }
  });
  return refused;
}
