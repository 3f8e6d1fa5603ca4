import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});

const manifest = z.looseObject({
  type: z.string().optional(),
  packageManager: z.string().optional(),
  workspaces: z.unknown().optional(),
  scripts: names,
  dependencies: names,
  devDependencies: names,
});

export type ProjectManifest = z.output<typeof manifest>;

const MANAGERS = {
  'package-lock.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
} as const;

export type Manager = (typeof MANAGERS)[keyof typeof MANAGERS];

/** What is known of a folder before anything is written. */
export interface Project {
  /** Its package.json as it is, and what that says; undefined: there is none. */
  manifest: { text: string; value: ProjectManifest } | undefined;
  manager: Manager;
  typescript: boolean;
  /** The root of the monorepo around it; undefined: there is none. */
  monorepo: string | undefined;
  /** Lines of its .gitignore; undefined: there is none. */
  ignored: readonly string[] | undefined;
  /** Which of these files are there, from its folder. */
  has(file: string): boolean;
}

/** Throws `bad_package_json` where there is one that cannot be read, `monorepo_root` in the root of a monorepo. */
export function readProject(root: string): Project {
  const own = readManifest(root);
  if (isMonorepo(root, own?.value))
    throw new EscapementError('monorepo_root', `${root} is the root of a monorepo`, {
      fix: 'go to the folder of the package that shall have the tasks, and give the command there',
    });
  const above = foldersAbove(root);
  const monorepo = above.find((folder) => isMonorepo(folder, readManifest(folder)?.value));
  const ignore = path.join(root, '.gitignore');
  return {
    manifest: own,
    manager: managerOf([root, ...(monorepo === undefined ? [] : [monorepo])], own?.value),
    typescript: own === undefined || usesTypeScript([root, ...(monorepo === undefined ? [] : [monorepo])], own.value),
    monorepo,
    ignored: existsSync(ignore) ? readFileSync(ignore, 'utf8').split(/\r?\n/) : undefined,
    has: (file) => existsSync(path.join(root, file)),
  };
}

function readManifest(folder: string): { text: string; value: ProjectManifest } | undefined {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    return { text, value: manifest.parse(JSON.parse(text)) };
  } catch (cause) {
    throw new EscapementError('bad_package_json', `${file} cannot be read as a package.json`, {
      cause,
      fix: 'mend it: npm pkg get shows where it is wrong',
    });
  }
}

function isMonorepo(folder: string, value: ProjectManifest | undefined): boolean {
  return value?.workspaces !== undefined || existsSync(path.join(folder, 'pnpm-workspace.yaml'));
}

function foldersAbove(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [] : [parent, ...foldersAbove(parent)];
}

function managerOf(folders: readonly string[], value: ProjectManifest | undefined): Manager {
  const named = Object.values(MANAGERS).find((name) => value?.packageManager?.startsWith(`${name}@`));
  if (named !== undefined) return named;
  for (const folder of folders)
    for (const [file, manager] of Object.entries(MANAGERS)) if (existsSync(path.join(folder, file))) return manager;
  return 'npm';
}

function usesTypeScript(folders: readonly string[], { dependencies, devDependencies }: ProjectManifest): boolean {
  if ('typescript' in dependencies || 'typescript' in devDependencies) return true;
  return folders.some((folder) => existsSync(path.join(folder, 'tsconfig.json')));
}
