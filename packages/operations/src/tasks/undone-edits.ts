import { isDeepStrictEqual } from 'node:util';
import { inUtc } from '@escapement/core';
import { type Database, type EditedVersion, editedVersions, type Task } from '@escapement/store';

/** What a person has changed about a task, and a save would change again. */
export interface UndoneEdit {
  version: number;
  by: string;
  at: Date;
  note: string | null;
  /** Top-level parts of the definition. */
  fields: string[];
}

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

/** That a file takes back what a person has edited. */
export function undoesWords({ by, at, fields, note, version }: UndoneEdit, planned: boolean): string {
  const why = note === null ? '' : `: "${note}"`;
  return `warning: ${planned ? 'would undo' : 'undid'} what ${by} edited at ${inUtc(at)} (${fields.join(', ')})${why}; version ${version} has it`;
}
