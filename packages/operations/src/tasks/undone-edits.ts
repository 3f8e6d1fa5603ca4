import { isDeepStrictEqual } from 'node:util';
import type { UndoneEdit } from '@escapement/core';
import { type Database, type EditedVersion, editedVersions, type Task } from '@escapement/store';

/** Versions that are looked at. */
const VERSIONS = 50;

/** The edits by people that last changed one of these parts of a task, the newest first. */
export async function undoneEdits(db: Database, task: Task, changed: readonly string[]): Promise<UndoneEdit[]> {
  if (changed.length === 0) return [];
  const versions = await editedVersions(db, task.id, VERSIONS);
  const edits = new Map<EditedVersion, string[]>();
  for (const field of changed) {
    const last = lastChange(versions, field);
    if (last?.edited) edits.set(last, [...(edits.get(last) ?? []), field]);
  }
  return [...edits]
    .map(([{ version, savedBy, savedAt, note }, fields]) => ({ version, by: savedBy, at: savedAt, note, fields }))
    .sort((one, other) => other.version - one.version);
}

/** The version by which a part of the definition became what it is. */
function lastChange(versions: readonly EditedVersion[], field: string): EditedVersion | undefined {
  return versions.find((version, index) => {
    const before = versions[index + 1];
    return before && !isDeepStrictEqual(partOf(version, field), partOf(before, field));
  });
}

function partOf({ definition }: EditedVersion, field: string): unknown {
  return new Map<string, unknown>(Object.entries(definition ?? {})).get(field);
}
