import { type By, checkTask, EscapementError, type TaskDefinition } from '@escapement/core';
import type { EgressPolicy } from '@escapement/core/egress';
import { type Database, findTaskChange, type Task, taskHistory } from '@escapement/store';
import { permitOnTask, permitSave } from '../rights/permit.ts';
import { checkEgress } from './check-egress.ts';
import { checkSecrets } from './check-secrets.ts';
import { requireNoTask, requireTask, unknownTask } from './require-task.ts';
import { saveDefinition } from './save-task.ts';

export interface RenameContext {
  /** Its reason is kept with the version. */
  by: By;
  /** Where requests of tasks may go. Default: to public addresses. */
  egress?: EgressPolicy | undefined;
}

/**
 * Gives a task another name. It stays the same task: runs, versions, pauses and state stay with it, and runs that are under way go on. Its
 * key, and what its rate is counted under, stay what they are, so that no two runs overlap. Who still names it as before finds it: what
 * follows runs, `ctx.chain`, triggers. Returns the new version. Throws `unknown_task`, `task_exists`, `name_taken`, `task_of_code`,
 * `change_waits`, and what `saveTask` throws.
 */
export async function renameTask(db: Database, name: string, to: string, context: RenameContext): Promise<number> {
  const { by, egress } = context;
  await permitOnTask(db, by, 'edit', { name, action: 'rename' });
  const task = await requireTask(db, name);
  const definition = checkTask(renamed(task.definition, to));
  await permitSave(db, by, definition);
  checkEgress(definition, egress);
  await checkSecrets(db, definition);
  await checkMayRename(db, task, to);
  const { version } = await saveDefinition(db, definition, {
    source: task.source,
    by,
    renamedFrom: name,
    edited: true,
    guard: async (current) => {
      if (!current) throw await unknownTask(db, name);
      if (current.version !== task.version) throw changed(name);
      await checkMayRename(db, current, to);
    },
  });
  return version;
}

/** Runs of the old and the new name exclude each other, and share state and rate: both stay under the name that they were kept under. */
export function renamed(definition: TaskDefinition, to: string): TaskDefinition {
  const { name, key, rate } = definition;
  if (name === to) return definition;
  return {
    ...definition,
    name: to,
    key: key ?? name,
    ...(rate === undefined ? {} : { rate: { ...rate, key: rate.key ?? name } }),
  };
}

/** Throws what `renameTask` says of names. */
export async function checkMayRename(db: Database, { name, source }: Task, to: string): Promise<void> {
  if (name === to)
    throw new EscapementError('nothing_to_edit', `the task is called ${name} already`, { fix: 'give another name' });
  if (source === 'code')
    throw new EscapementError(
      'task_of_code',
      `task ${name} comes from code, which would make it anew under its old name`,
      {
        fix: 'make a task of the new name in the code, and leave the old one out: it is paused, and keeps its runs',
      },
    );
  await checkFree(db, to);
  for (const each of [name, to]) {
    if (!(await findTaskChange(db, each))) continue;
    throw new EscapementError('change_waits', `a change of ${each} waits for its time`, {
      fix: `wait for it, or forget it: \`escapement tasks edit ${each} --drop-pending\``,
    });
  }
}

async function checkFree(db: Database, name: string): Promise<void> {
  await requireNoTask(db, name);
  if ((await taskHistory(db, name)).length > 0)
    throw new EscapementError(
      'name_taken',
      `a task "${name}" was deleted, and the ledger keeps its runs under that name`,
      {
        fix: 'give another name',
      },
    );
}

function changed(name: string): EscapementError {
  return new EscapementError('save_races', `task ${name} was changed while it was renamed`, { fix: 'try again' });
}
