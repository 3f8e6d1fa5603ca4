import { actionOf, EscapementError, handlerFacts, processPrincipal, type TaskInput } from '@escapement/core';
import type { EgressPolicy } from '@escapement/core/egress';
import {
  type CodeRival,
  type CodeTask,
  type CodeView,
  claimCodeTask,
  type Database,
  strayCodeTasks,
  type Task,
} from '@escapement/store';
import { type SaveResult, saveTask } from '../tasks/save-task.ts';

export type CodeTaskResult =
  | { kind: 'created' | 'updated' | 'unchanged' | 'resumed'; version: number }
  /** Another definition counts. `same`: it is the same one, from another application. */
  | { kind: 'yields'; why: string; same: boolean }
  | { kind: 'refused'; error: EscapementError };

export interface CodeTaskSave extends CodeView {
  release: string | undefined;
  /** Where requests of tasks may go. Default: to public addresses. */
  egress?: EgressPolicy | undefined;
}

/** Saves a task as the code has it, unless another definition of it counts. */
export async function saveCodeTask(db: Database, task: TaskInput, save: CodeTaskSave): Promise<CodeTaskResult> {
  try {
    return await saveAndClaim(db, task, save);
  } catch (error) {
    if (error instanceof Yield) return { kind: 'yields', why: error.message, same: error.same };
    if (error instanceof EscapementError) return { kind: 'refused', error };
    throw error;
  }
}

async function saveAndClaim(db: Database, task: TaskInput, save: CodeTaskSave): Promise<CodeTaskResult> {
  const by = actionOf(processPrincipal('worker'), save.release === undefined ? null : `release ${save.release}`);
  const saved = await saveTask(db, task, {
    source: 'code',
    egress: save.egress,
    by,
    // After the task was read: whoever has a say from then on reads it later, and writes it anew if need be.
    guard: async (current) => {
      const [stray] = await strayCodeTasks(db, save, task.name);
      if (stray) checkMaySave(stray, current);
    },
  });
  const version = versionOf(saved);
  const { resumed } = await claimCodeTask(db, { name: task.name, version, deploymentId: save.deploymentId, by });
  if (saved.kind === 'created' || saved.kind === 'updated') return { kind: saved.kind, version };
  return { kind: resumed ? 'resumed' : 'unchanged', version };
}

function versionOf(saved: SaveResult): number {
  if (saved.kind === 'scheduled') throw new Error('a definition from code counts at once');
  return saved.version;
}

/** No mistake; told unless the other definition is the same. */
class Yield extends Error {
  readonly same: boolean;

  constructor(why: string, { same }: { same: boolean } = { same: false }) {
    super(why);
    this.same = same;
  }
}

function checkMaySave(stray: CodeTask, current: Task | null): void {
  if (current && current.source !== 'code') throw ofAnotherSource(current);
  if (stray.rival) throw ofAnotherWorker(stray.name, stray.rival);
}

/** A task of a file may well be there to run the code of that name. */
function ofAnotherSource({ name, source, definition }: Task): Error {
  if (handlerFacts(definition.handler).code?.name === name)
    return new Yield(`it belongs to ${source}, and runs this code`);
  return new EscapementError('task_of_another_source', `task "${name}" of the code belongs to ${source} already`, {
    fix: 'give one of them another name, or delete the other one: `escapement tasks delete`; it stays as it is',
  });
}

function ofAnotherWorker(name: string, { app, release, worker, newer, same }: CodeRival): Error {
  const which = release === null ? '' : `, release ${release}`;
  if (newer) return new Yield(`worker ${worker} has later code of ${app}${which}`);
  if (same) return new Yield(`${app} has the same task, see worker ${worker}`, { same: true });
  return new EscapementError(
    'task_of_two_apps',
    `task "${name}" is in the code of ${app}${which} too, and not the same`,
    {
      fix: `give one of them another name; worker ${worker} has the one that counts`,
    },
  );
}
