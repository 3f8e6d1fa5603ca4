import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import path from 'node:path';

const SOURCE = /\.(ts|tsx|css|mts|js|mjs|json|sql|prisma)$/;
const NOT_LOADED = /\.test\.tsx?$/;
/** An editor, or git, writes several files at once. */
const SETTLE_MS = 100;

/**
 * Calls back with the files that changed under the folders, once they are quiet again. Folders made later are seen too.
 *
 * @returns a function that ends it
 */
export function watchSources(folders: readonly string[], onChange: (files: string[]) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const files = [...changed];
    changed.clear();
    onChange(files);
  }

  function see(file: string): void {
    if (isFolder(file)) return add(file);
    if (!SOURCE.test(file) || NOT_LOADED.test(file)) return;
    changed.add(file);
    clearTimeout(timer);
    timer = setTimeout(flush, SETTLE_MS);
  }

  function add(folder: string): void {
    if (watchers.has(folder) || !isFolder(folder)) return;
    const watcher = watch(folder, (_event, name) => name && see(path.join(folder, name)));
    const forget = () => {
      watcher.close();
      watchers.delete(folder);
    };
    watcher.on('error', forget);
    watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) add(path.join(folder, entry.name));
  }

  for (const folder of folders) add(folder);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
