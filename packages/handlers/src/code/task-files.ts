import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EscapementError } from '@escapement/core';

/**
 * The module at a path, or the modules directly in a folder: `.js`, `.mjs`, `.ts`, `.mts`. Tests (`x.test.ts`),
 * declarations and names that begin with `_` or `.` are left out. Throws `tasks_not_found`.
 */
export async function taskFiles(path: string): Promise<string[]> {
  const place = resolve(path);
  try {
    if (!(await stat(place)).isDirectory()) return [place];
    const names = await readdir(place);
    return names
      .filter(isModule)
      .sort()
      .map((name) => join(place, name));
  } catch (cause) {
    throw notFound(path, cause);
  }
}

function notFound(path: string, cause: unknown): EscapementError {
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const why = missing ? 'there is no such file or folder' : `it cannot be read: ${String(cause)}`;
  const fix = missing ? 'correct the path, or create the folder' : "let the worker's own user read it";
  return new EscapementError('tasks_not_found', `no tasks at ${path}: ${why}`, { fix, cause });
}

function isModule(name: string): boolean {
  return /^[^_.].*\.m?[jt]s$/.test(name) && !/\.(test|spec|d)\.m?[jt]s$/.test(name);
}
