import { access, constants, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux has a file system in memory. */
const MEMORY = '/dev/shm';

/** The number of tmpfs in statfs(2). */
const TMPFS = 0x01021994;

/** The largest tests write a gigabyte or two. Containers often have 64 MB. */
const ROOM = 6 * 1024 ** 3;

/**
 * A new folder for data that need not last: in memory where there is room, else where temporary files are. A database is a thousand
 * files, and each test file makes one: on a disk that can take half a second, in memory it takes 50 ms.
 */
export async function memoryFolder(prefix: string): Promise<string> {
  return await mkdtemp(join((await hasRoom()) ? MEMORY : tmpdir(), prefix));
}

async function hasRoom(): Promise<boolean> {
  try {
    const { type, bavail, bsize } = await statfs(MEMORY);
    await access(MEMORY, constants.W_OK);
    return type === TMPFS && bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
