import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { readText } from '../options.ts';
import { type ReadFiles, readDocuments } from './read-documents.ts';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);

/**
 * Reads the tasks of files, of all `.yaml`, `.yml` and `.json` files below folders, and of standard input for `-`. JSON
 * is YAML. A document is a task, a list of tasks, or `{ tasks: [...] }`. Throws `no_file`.
 */
export async function readTaskFiles(paths: readonly string[], stdin: () => Promise<string>): Promise<ReadFiles> {
  const read: ReadFiles = { tasks: [], problems: [] };
  for (const path of paths)
    for (const file of await filesOf(path)) readDocuments(file, await readText(file, stdin), read);
  return read;
}

async function filesOf(path: string): Promise<string[]> {
  if (path === '-') return [path];
  const found = await stat(path).catch(() => undefined);
  // What is not there is told by whoever reads it.
  if (!found?.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  const files = names.filter((name) => EXTENSIONS.has(extname(name))).sort();
  if (files.length > 0) return files.map((name) => join(path, name));
  throw new EscapementError('no_file', `the folder ${path} has no .yaml, .yml or .json file in it`, {
    fix: 'give a file, or a folder with files of tasks',
  });
}
