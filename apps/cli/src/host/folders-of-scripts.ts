import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderEntry, FolderOfScripts } from '@escapement/operations';

/** Folders of a host, as its run-parts sees them, by their paths. `root`: the folder that is `/` of the host. */
export async function foldersOfScripts(
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FolderOfScripts>> {
  const isCronies = await hasScript(join(root, '/usr/bin/run-parts'));
  const read = async (path: string) => [path, await readFolder(join(root, path), isCronies)] as const;
  return new Map(await Promise.all([...new Set(paths)].map(read)));
}

/** The run-parts of cronie is a script; that of Debian, and of busybox, is none. */
async function hasScript(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  const start = await file?.read({ buffer: Buffer.alloc(2) });
  await file?.close();
  return start?.buffer.toString() === '#!';
}

async function readFolder(folder: string, isCronies: boolean): Promise<FolderOfScripts> {
  try {
    const names = await readdir(folder);
    const entries = await Promise.all(names.map((name) => entryOf(folder, name)));
    if (!isCronies) return { entries };
    const [deny = new Set<string>(), allow] = [await listIn(folder, 'jobs.deny'), await listIn(folder, 'jobs.allow')];
    return { entries, cronie: { deny, allow } };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return `${REASONS[code] ?? code}; give the command on its host, as root`;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is no folder',
  EACCES: 'permission denied',
};

async function entryOf(folder: string, name: string): Promise<FolderEntry> {
  const found = await stat(join(folder, name)).catch(() => undefined);
  const kind = found === undefined ? 'nowhere' : found.isDirectory() ? 'folder' : 'file';
  return { name, kind, executable: found !== undefined && (found.mode & 0o111) !== 0 };
}

/** Undefined: there is no such list. */
async function listIn(folder: string, name: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : new Set(text.split('\n').filter(Boolean));
}
