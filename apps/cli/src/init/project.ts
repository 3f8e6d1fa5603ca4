import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import type { Place } from './manager.ts';
import { type ManifestFile, type ProjectManifest, readManifest } from './manifest.ts';
import { monorepoAround } from './monorepo.ts';

export type Language = 'typescript' | 'javascript';

/** What is known of a folder before anything is written. */
export interface Project {
  root: string;
  /** Undefined: there is no package.json. */
  manifest: ManifestFile | undefined;
  /** Undefined: nothing says, as in an empty folder. */
  language: Language | undefined;
  /** The root of the monorepo around it; undefined: there is none. */
  monorepo: string | undefined;
  /** Where a package manager may be named: the folder, and the root of its monorepo. */
  places: readonly Place[];
  /** Lines of its .gitignore; undefined: there is none. */
  ignored: readonly string[] | undefined;
  /** Which of these files are there, from its folder. */
  has(file: string): boolean;
  /** What a file says; undefined: there is none. */
  read(file: string): string | undefined;
}

/** Throws `bad_package_json` where there is one that cannot be read, and `cannot_read`. */
export function readProject(root: string): Project {
  const own = readManifest(root);
  const monorepo = monorepoAround(root);
  const folders = [root, ...(monorepo === undefined ? [] : [monorepo])];
  const has = (file: string) => existsSync(path.join(root, file));
  const read = (file: string) => (has(file) ? readText(path.join(root, file)) : undefined);
  return {
    root,
    manifest: own,
    language: languageOf(folders, own?.value),
    monorepo,
    places: folders.map((folder) => ({ folder, packageManager: readManifest(folder)?.value.packageManager })),
    ignored: read('.gitignore')?.split(/\r?\n/),
    has,
    read,
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new EscapementError(
      'cannot_read',
      `${file} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
        fix: 'let your user read it, or move it away; nothing was written',
      },
    );
  }
}

/** By what the project compiles with, else by the sources that it has. */
function languageOf(
  [root = '', ...above]: readonly string[],
  value: ProjectManifest | undefined,
): Language | undefined {
  if ([root, ...above].some((folder) => existsSync(path.join(folder, 'tsconfig.json')))) return 'typescript';
  if ('typescript' in { ...value?.dependencies, ...value?.devDependencies }) return 'typescript';
  const sources = [root, path.join(root, 'src')].flatMap(namesIn);
  if (sources.some((name) => /\.[cm]?tsx?$/.test(name))) return 'typescript';
  return sources.some((name) => /\.[cm]?jsx?$/.test(name)) ? 'javascript' : undefined;
}

function namesIn(folder: string): string[] {
  // What begins with a dot is no source: `.pnp.cjs`, say.
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
}
