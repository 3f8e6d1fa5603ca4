import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import path from 'node:path';

const SOURCE = /\.(ts|tsx|css|mts|js|mjs|json|sql|prisma)$/;
const NOT_LOADED = /\.test\.tsx?$/;
/** An editor, or git, writes several files at once. */
const SETTLE_MS = 100;

export interface Watched {
  /** With all that is below them; folders made later are seen too. */
  folders: readonly string[];
  /** Single files; one may be missing, and come later. Default: none. */
  files?: readonly string[] | undefined;
}

/**
 * Calls back with the files that changed, once they are quiet again.
 *
 * @returns a function that ends it
 */
export function watchSources({ folders, files = [] }: Watched, onChange: (files: string[]) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const ofFiles: FSWatcher[] = [];
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const files = [...changed];
    changed.clear();
    onChange(files);
  }

  function see(file: string): void {
    if (isFolder(file)) return add(file);
    if (SOURCE.test(file) && !NOT_LOADED.test(file)) note(file);
  }

  function note(file: string): void {
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

  /** By its folder: an editor puts a new file in the place of the one before. */
  function addFiles(folder: string, names: ReadonlySet<string>): void {
    if (!isFolder(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      if (name !== null && names.has(name)) note(path.join(folder, name));
    });
    watcher.on('error', () => watcher.close());
    ofFiles.push(watcher);
  }

  for (const folder of folders) add(folder);
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    addFiles(folder, new Set(files.filter((file) => path.dirname(file) === folder).map((file) => path.basename(file))));
  return () => {
    clearTimeout(timer);
    for (const watcher of [...watchers.values(), ...ofFiles]) watcher.close();
  };
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
