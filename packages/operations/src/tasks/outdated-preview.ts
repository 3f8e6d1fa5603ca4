import { EscapementError, type TaskDefinition } from '@escapement/core';
import type { Database, Task } from '@escapement/store';
import { type EffectQuestion, effectOf, type TaskEffect } from './effect.ts';
import { previewTask, type TaskPreview } from './preview-task.ts';

/** What was previewed against what would be done now. */
export interface OutdatedPreview {
  /** What the save would have changed about the version that was previewed; null: that is in force still, or is not known. */
  previewed: TaskPreview | null;
  /** What it would change now; null: it can no longer be made. */
  now: TaskPreview | null;
  /** What others have changed about the task since that version; null: nothing, or the version is not known. */
  since: TaskEffect | null;
}

export interface OutdatedSave {
  /** The task as it is. Null: there is none. */
  task: Task | null;
  /** The version that was previewed, where another one is in force. */
  seen: { version: number; definition: TaskDefinition } | null;
  /** What the save makes of a task. Throws where it makes nothing of it. */
  definitionOn: (task: Task | null) => TaskDefinition;
}

/** Both by the clock of now: what differs is what the save would do, and not when it is looked at. Reads only. */
export async function outdatedPreview(
  db: Database,
  { task, seen, definitionOn }: OutdatedSave,
  question: EffectQuestion & { count: number },
): Promise<OutdatedPreview> {
  const preview = async (of: Task | null) =>
    await previewTask(db, { task: of, definition: definitionOn(of) }, question);
  const before = task && seen ? { ...task, ...seen } : null;
  const [previewed, now, since] = await Promise.all([
    before && orNull(preview(before)),
    orNull(preview(task)),
    before && task && orNull(effectOf(db, { task: before, definition: task.definition }, question)),
  ]);
  return { previewed, now, since };
}

/** An older definition may name what is gone by now, as a calendar. */
async function orNull<Found>(found: Promise<Found>): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof EscapementError) return null;
    throw error;
  }
}
