import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LEFT_OUT = new Set(['node_modules', '.git', '.turbo', '.escapement']);

/** A copy of the repository, in which faults are put. Its packages from the registry are those of the original. */
export function copyTree(root: string): { root: string; remove: () => void } {
  const copy = mkdtempSync(path.join(tmpdir(), 'escapement-mutants-'));
  cpSync(root, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(path.basename(source)) });
  const packages = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`),
  );
  for (const folder of ['.', ...packages, 'bench']) linkModules(path.join(root, folder), path.join(copy, folder));
  return { root: copy, remove: () => rmSync(copy, { recursive: true, force: true }) };
}

function linkModules(from: string, to: string): void {
  const [modules, copy] = [path.join(from, 'node_modules'), path.join(to, 'node_modules')];
  if (!existsSync(modules)) return;
  mkdirSync(copy);
  for (const name of readdirSync(modules)) {
    // Packages of the repository are links to its folders: those of the copy lead to the copy.
    if (name === '@escapement')
      cpSync(path.join(modules, name), path.join(copy, name), { recursive: true, verbatimSymlinks: true });
    else if (!lstatSync(path.join(modules, name)).isFile())
      symlinkSync(path.join(modules, name), path.join(copy, name));
  }
}
