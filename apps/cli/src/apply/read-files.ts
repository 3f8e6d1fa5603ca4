import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { isMap, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { readText } from '../options.ts';

/** A task as a file has it, and where. */
export interface FileTask {
  file: string;
  line: number;
  value: unknown;
}

/** What is wrong with a file, and where. */
export interface FileProblem {
  file: string;
  line: number;
  message: string;
}

export interface ReadFiles {
  tasks: FileTask[];
  problems: FileProblem[];
}

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

function readDocuments(file: string, text: string, read: ReadFiles): void {
  const lines = new LineCounter();
  for (const document of parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true })) {
    for (const error of [...document.errors, ...document.warnings])
      read.problems.push({ file, line: lines.linePos(error.pos[0]).line, message: firstLine(error.message) });
    if (document.errors.length > 0 || document.contents === null) continue;
    const lineOf = (node: unknown) => lineAt(node, lines);
    const nodes = taskNodes(document.contents);
    if (!nodes) {
      const message = 'neither a task, nor a list of tasks, nor { tasks: [...] }';
      read.problems.push({ file, line: lineOf(document.contents), message });
      continue;
    }
    for (const node of nodes) read.tasks.push({ file, line: lineOf(node), value: node.toJS(document) });
  }
}

/** The nodes of the tasks in a document; undefined: it is something else. */
function taskNodes(contents: Node): Node[] | undefined {
  if (isSeq<Node>(contents)) return contents.items;
  if (!isMap(contents)) return undefined;
  if (!contents.has('tasks')) return [contents];
  const tasks = contents.get('tasks', true);
  return isSeq<Node>(tasks) && contents.items.length === 1 ? tasks.items : undefined;
}

function lineAt(node: unknown, lines: LineCounter): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? lines.linePos(Number(range[0])).line : 1;
}

/** The parser's own messages go on with an excerpt. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
}
