import { checkUnknownTask, EscapementError, type TaskDefinition } from '@escapement/core';
import { editDefinition, renamed } from '@escapement/operations';
import { type Database, type Task, taskHistory } from '@escapement/store';
import { z } from 'zod';
import { mergePatch } from './merge-patch.ts';

const DAYS = 7;

/** So many next fires a preview tells. */
export const FIRES = 10;

export const daysIn = z.coerce
  .number()
  .int()
  .min(1)
  .max(366)
  .default(DAYS)
  .meta({ description: 'Fires of so many days are compared.' });

export const zoneIn = z
  .string()
  .max(64)
  .default('UTC')
  .meta({ description: 'Of the days in which fires move, where the schedule has none.' });

/** A part of a definition, put over what is there. */
const patchIn = z.record(z.string(), z.unknown()).meta({
  description:
    'A JSON merge patch (RFC 7396) of the definition: what is null is taken out. A schedule of another `kind`, or a handler of another `type`, replaces what is there.',
});

const pathIn = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(100)
  .meta({ description: 'The names that lead to a part: `["retry", "maxAttempts"]`.' });

const anyJson = z.json() as z.ZodType as z.ZodType<unknown, unknown>;

/** Says what a merge patch cannot: that a part is null, or another one as a whole. */
const editsIn = z
  .array(z.union([z.strictObject({ set: pathIn, value: anyJson }), z.strictObject({ unset: pathIn })]))
  .min(1)
  .max(1000)
  .meta({
    id: 'DefinitionEdits',
    description:
      'Parts that are replaced as a whole, or taken out, one after the other. What leads to a part is made where it is not there.',
  });

export const changeIn = z.union([patchIn, editsIn]);

export type TaskChange = z.output<typeof changeIn>;

/** A definition with a change done to it. */
export function changed(definition: TaskDefinition, change: TaskChange): unknown {
  return Array.isArray(change) ? editDefinition(definition, change) : mergePatch(definition, change);
}

/** An older definition of a task. Of a time when it was called otherwise: the name is as it is now, and the key as it was then. */
export async function versionOf(
  db: Database,
  { name, version: newest }: Task,
  version: number,
): Promise<TaskDefinition> {
  const wanted = (await taskHistory(db, name)).find((each) => each.version === version);
  if (wanted) return renamed(checkUnknownTask(wanted.definition), name);
  throw new EscapementError('unknown_version', `task ${name} has no version ${version}`, {
    fix: `it has 1 to ${newest}; see \`escapement tasks history ${name}\``,
  });
}

/** Throws `bad_task` where a definition has another name than its task. */
export function refuseOtherName({ id, name }: Task, definition: TaskDefinition): void {
  if (definition.name === name) return;
  throw new EscapementError('bad_task', `the name of ${name} cannot be changed like this`, {
    fix: `\`escapement tasks rename ${name} NEW\` changes it, and POST /v1/tasks/${id}/rename`,
  });
}
