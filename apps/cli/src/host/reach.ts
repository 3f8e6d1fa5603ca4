import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** A user, by its numbers. */
export interface UserIds {
  uid: number;
  gids: readonly number[];
}

/** A file, and what has to be done with it. */
export interface NeededFile {
  path: string;
  need: 'read' | 'execute';
}

/** The permission bits of others are those of whoever has none of the owner's numbers. */
export const SOMEBODY_ELSE: UserIds = { uid: -1, gids: [] };

const BITS = { execute: 0o1, read: 0o4 } as const;

/** The numbers of a user of this host, by its directory service too; undefined: there is no such user. */
export async function idsOf(user: string): Promise<UserIds | undefined> {
  const id = async (option: string) => (await promisify(execFile)('id', [option, '--', user])).stdout.trim();
  try {
    const [uid, gids] = await Promise.all([id('-u'), id('-G')]);
    return { uid: Number(uid), gids: gids.split(' ').map(Number) };
  } catch {
    return undefined;
  }
}

/**
 * What keeps a user from a file, by the permission bits of it and of each folder above it; undefined: nothing. The path has no links. Lists
 * of access rights are not looked at.
 */
export async function barTo({ path, need }: NeededFile, user: UserIds): Promise<string | undefined> {
  if (user.uid === 0) return undefined;
  for (const folder of foldersAbove(path)) {
    const bar = await barAt(folder, user, BITS.execute);
    if (bar !== undefined) return bar;
  }
  return await barAt(path, user, BITS[need]);
}

/** From the root on. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}

async function barAt(path: string, user: UserIds, bit: number): Promise<string | undefined> {
  const found = await stat(path);
  if (allows(found, user, bit)) return undefined;
  return `${path} is closed to it (mode ${(found.mode & 0o777).toString(8).padStart(3, '0')})`;
}

/** The first that fits counts: owner, group, others. Pure. */
export function allows(
  { uid, gid, mode }: { uid: number; gid: number; mode: number },
  user: UserIds,
  bit: number,
): boolean {
  const shift = user.uid === uid ? 6 : user.gids.includes(gid) ? 3 : 0;
  return ((mode >> shift) & bit) === bit;
}
