import { pathToFileURL } from 'node:url';
import { EscapementError, formatSpan, type Json, SECOND, toRunError } from '@escapement/core';
import { checkPayload, isTaskModule, type TaskModule } from '@escapement/sdk';
import { z } from 'zod';
import { runTypeScript } from './run-typescript.ts';

/** A module whose top level waits longer is given up. */
export const IMPORT_LIMIT_MS = 30 * SECOND;

/**
 * Loads a module that default-exports `defineTask({...})`: `.js`, `.mjs`, `.ts`, `.mts`. Throws an EscapementError that names the file.
 */
export async function loadTaskModule(file: string, limitMs = IMPORT_LIMIT_MS): Promise<TaskModule> {
  try {
    return await loadFile(file, limitMs);
  } catch (error) {
    throw asProblem(error, file);
  }
}

async function loadFile(file: string, limitMs: number): Promise<TaskModule> {
  const module: unknown = await importInTime(file, limitMs);
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

/** What a module of the configuration default-exports, as JSON. Throws an EscapementError that names the file. */
export async function loadConfigModule(file: string, limitMs = IMPORT_LIMIT_MS): Promise<Json> {
  let exported: unknown;
  try {
    exported = defaultOf(await importInTime(file, limitMs));
  } catch (error) {
    throw asProblem(error, file);
  }
  const found = z.json().safeParse(plain(exported));
  if (found.success) return found.data;
  throw new EscapementError('bad_project_config', `${file} does not default-export a configuration`, {
    fix: "write `export default defineConfig({ tasks: ['tasks'] })`",
  });
}

/** Without what is undefined, and what a class adds. */
function plain(value: unknown): unknown {
  const text: unknown = JSON.stringify(value);
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}

async function importInTime(file: string, limitMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unanswered(`${file} was not loaded within ${formatSpan(limitMs)}`)), limitMs);
  });
  if (/\.m?ts$/.test(file)) runTypeScript();
  try {
    return await Promise.race([import(pathToFileURL(file).href), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** That a module takes long may be its fault or the machine's: nobody here can tell. */
export function unanswered(what: string): EscapementError {
  return new EscapementError('task_unanswered', what, {
    fix: 'its top level waits for something, or never ends, or the machine is too busy',
  });
}

function defaultOf(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}

function asProblem(error: unknown, file: string): EscapementError {
  if (error instanceof EscapementError)
    return error.message.includes(file)
      ? error
      : new EscapementError(error.code, `${file}: ${error.message}`, { ...fixOf(error), cause: error });
  const { name, message, fields } = toRunError(error);
  if (fields?.code === 'EACCES')
    return new EscapementError('task_import', `${file} cannot be imported: ${message}`, {
      fix: 'let the user of tasks (ESCAPEMENT_RUN_AS) read it, and enter the folders above it',
      cause: error,
    });
  const place = placeOf(error);
  return new EscapementError('task_import', `${file} cannot be imported: ${name}: ${message}${place}`, {
    cause: error,
  });
}

/** The line of a source that threw it, where its stack names one. */
function placeOf(error: unknown): string {
  const [, place] =
    /^ +at .*?((?:file:\/\/)?\/[^\n()]+:\d+:\d+)\)?$/m.exec(error instanceof Error ? (error.stack ?? '') : '') ?? [];
  return place === undefined ? '' : ` (${place.replace('file://', '')})`;
}

function fixOf(error: EscapementError): { fix?: string } {
  return error.fix === undefined ? {} : { fix: error.fix };
}
