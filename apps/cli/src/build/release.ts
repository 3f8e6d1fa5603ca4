import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';

/** What of a digest a release has. */
const LENGTH = 12;

/**
 * What this version of the code is called: the commit where all of the project is committed; with what was bundled behind it where it is not; else
 * that alone. The same sources give the same.
 */
export async function releaseOf(
  { root, out }: { root: string; out: string },
  files: readonly { path: string; contents: Uint8Array }[],
): Promise<string> {
  const commit = await git(root, 'rev-parse', `--short=${LENGTH}`, 'HEAD');
  const own = path.relative(root, out);
  const besides = own.startsWith('..') ? [] : [`:(exclude)${own}`];
  const changed = await git(root, 'status', '--porcelain', '--', '.', ...besides);
  if (commit && changed === '') return commit;
  return commit ? `${commit}+${hashOf(files)}` : hashOf(files);
}

function hashOf(files: readonly { path: string; contents: Uint8Array }[]): string {
  const hash = createHash('sha256');
  const modules = files.filter((file) => !file.path.endsWith('.map'));
  for (const { contents } of modules.toSorted((a, b) => (a.path < b.path ? -1 : 1))) hash.update(contents);
  return hash.digest('hex').slice(0, LENGTH);
}

/** Undefined: there is no Git, or no commit. */
async function git(cwd: string, ...args: string[]): Promise<string | undefined> {
  return await promisify(execFile)('git', args, { cwd }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}
