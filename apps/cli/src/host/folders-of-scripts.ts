import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderEntry, FolderOfScripts } from '@escapement/formats';
import { realIn } from './real-in.ts';

/** Folders of a host, as its run-parts sees them, by their paths. `root`: the folder that is `/` of the host. */
export async function foldersOfScripts(
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FolderOfScripts>> {
  const isCronies = await hasScript(await realIn(root, '/usr/bin/run-parts'));
  const read = async (path: string) => [path, await readFolder(root, path, isCronies)] as const;
  return new Map(await Promise.all([...new Set(paths)].map(read)));
}

/** The run-parts of cronie is a script; that of Debian, and of busybox, is none. */
async function hasScript(path: string | undefined): Promise<boolean> {
  const file = path === undefined ? undefined : await open(path).catch(() => undefined);
  const start = await file?.read({ buffer: Buffer.alloc(2) });
  await file?.close();
  return start?.buffer.toString() === '#!';
}

async function readFolder(root: string, path: string, isCronies: boolean): Promise<FolderOfScripts> {
  try {
    const folder = await realIn(root, path);
    if (folder === undefined) return 'there is no such folder';
    const names = await readdir(folder);
    const entries = await Promise.all(names.map((name) => entryOf(root, path, name)));
    if (!isCronies) return { entries };
    const [deny, allow] = [await listIn(folder, 'jobs.deny'), await listIn(folder, 'jobs.allow')];
    return { entries, cronie: { deny: deny ?? new Set(), allow } };
  } catch (error) {
    const code = codeOf(error);
    return `${REASONS[code] ?? code}; give the command on its host, as root`;
  }
}

const REASONS: Readonly<Record<string, string>> = { ENOTDIR: 'it is no folder', EACCES: 'permission denied' };

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

async function entryOf(root: string, folder: string, name: string): Promise<FolderEntry> {
  const real = await realIn(root, `${folder}/${name}`);
  if (real === undefined) return { name, kind: 'nowhere', executable: false };
  const found = await stat(real);
  return { name, kind: found.isDirectory() ? 'folder' : 'file', executable: (found.mode & 0o111) !== 0 };
}

/** Undefined: there is no such list. */
async function listIn(folder: string, name: string): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set((await readFile(join(folder, name), 'utf8')).split('\n').filter(Boolean));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
