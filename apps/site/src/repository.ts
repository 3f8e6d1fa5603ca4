import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The repository, from which all paths below count. VitePress bundles this file, so that `import.meta.url` says nothing. */
export const root = path.resolve(process.cwd(), existsSync('apps/site') ? '.' : '../..');

export function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

export function isFile(file: string): boolean {
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The folders in a folder. */
export function foldersIn(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.posix.join(folder, name));
}

/** The files in a folder, and not in those within it. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => path.posix.join(folder, name));
}
