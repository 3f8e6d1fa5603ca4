import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** As Linux has it. */
const MOST_LINKS = 40;

/**
 * Where a path of a host is, without links, for whoever sees the host below a folder: an absolute link leads to below that folder as well.
 * Undefined: there is nothing. Throws what the file system says otherwise.
 */
export async function realIn(root: string, path: string): Promise<string | undefined> {
  let rest = partsOf(path);
  let real: string[] = [];
  for (let links = 0; ; ) {
    const [part, ...others] = rest;
    if (part === undefined) return join(root, ...real);
    rest = others;
    if (part === '..') real.pop();
    else {
      const at = join(root, ...real, part);
      const found = await lstat(at).catch(absent);
      if (found === undefined) return undefined;
      if (!found.isSymbolicLink()) real.push(part);
      else {
        if (++links > MOST_LINKS) return undefined;
        const target = await readlink(at);
        if (target.startsWith('/')) real = [];
        rest = [...partsOf(target), ...rest];
      }
    }
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
