import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EscapementError, SECOND, toRunError } from '@escapement/core';
import { checkPayload, isTaskModule, type TaskModule } from '@escapement/sdk';

/** A module whose top level waits longer is given up. */
const IMPORT_LIMIT_MS = 30 * SECOND;

export interface LoadedTask {
  task: TaskModule;
  /** The module it came from: a process of its own loads it again. */
  file: string;
}

export interface LoadedTasks {
  tasks: LoadedTask[];
  /** One for each file that gave no task; the others are loaded all the same. */
  problems: EscapementError[];
}

/**
 * Loads a module, or each module directly in a folder, that default-exports `defineTask({...})`:
 * `.js`, `.mjs`, and `.ts`, `.mts` where the process runs TypeScript (`node --import tsx`). Tests
 * (`x.test.ts`), declarations and names that begin with `_` or `.` are left out. Never rejects.
 */
export async function loadTaskModules(path: string): Promise<LoadedTasks> {
  const loaded: LoadedTasks = { tasks: [], problems: [] };
  const origin = new Map<string, string>();
  try {
    for (const file of await filesOf(resolve(path))) {
      try {
        const task = await loadFile(file);
        const first = origin.get(task.name);
        if (first !== undefined) throw duplicate(task.name, file, first);
        origin.set(task.name, file);
        loaded.tasks.push({ task, file });
      } catch (error) {
        loaded.problems.push(asProblem(error, file));
      }
    }
  } catch (error) {
    loaded.problems.push(asProblem(error, path));
  }
  return loaded;
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new EscapementError('tasks_not_found', `no tasks at ${path}: there is no such file or folder`, {
      fix: 'correct the path, or create the folder',
      cause,
    });
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path);
  return names
    .filter(isModule)
    .sort()
    .map((name) => join(path, name));
}

function isModule(name: string): boolean {
  return /^[^_.].*\.m?[jt]s$/.test(name) && !/\.(test|spec|d)\.m?[jt]s$/.test(name);
}

async function loadFile(file: string): Promise<TaskModule> {
  const module: unknown = await importInTime(file);
  const task = defaultOf(module);
  // A module compiled to CommonJS has its default export one level down.
  const found = isTaskModule(task) ? task : defaultOf(task);
  if (!isTaskModule(found))
    throw new EscapementError('not_a_task', `${file} does not default-export a task`, {
      fix: 'write `export default defineTask({ ... })`; what is no task belongs into a sub-folder',
    });
  await checkDefaultPayload(found, file);
  return found;
}

/** What would fail in each scheduled run is told when the task is loaded. */
async function checkDefaultPayload(task: TaskModule, file: string): Promise<void> {
  const { schedule, payload } = task.toDefinition();
  if (!task.payload || schedule === undefined || schedule.kind === 'manual') return;
  try {
    await checkPayload(task.name, task.payload, payload);
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    throw new EscapementError(error.code, `${file}: in scheduled runs ${error.message}`, {
      fix: 'give a defaultPayload that fits, or a schema with defaults',
      cause: error,
    });
  }
}

async function importInTime(file: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = IMPORT_LIMIT_MS / SECOND;
    timer = setTimeout(() => reject(new Error(`its top level was not done after ${seconds} s`)), IMPORT_LIMIT_MS);
  });
  try {
    return await Promise.race([import(pathToFileURL(file).href), late]);
  } finally {
    clearTimeout(timer);
  }
}

function defaultOf(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}

function duplicate(name: string, file: string, first: string): EscapementError {
  return new EscapementError('duplicate_task', `task "${name}" of ${file} is defined in ${first} already`, {
    fix: 'give one of them another name',
  });
}

function asProblem(error: unknown, file: string): EscapementError {
  if (error instanceof EscapementError)
    return error.message.includes(file)
      ? error
      : new EscapementError(error.code, `${file}: ${error.message}`, { ...fixOf(error), cause: error });
  const { name, message, fields } = toRunError(error);
  if (fields?.code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return new EscapementError('task_import', `${file} is TypeScript, which this process does not run`, {
      fix: 'start it with `node --import tsx`, or point it at the built modules',
      cause: error,
    });
  return new EscapementError('task_import', `${file} cannot be imported: ${name}: ${message}`, { cause: error });
}

function fixOf(error: EscapementError): { fix?: string } {
  return error.fix === undefined ? {} : { fix: error.fix };
}
