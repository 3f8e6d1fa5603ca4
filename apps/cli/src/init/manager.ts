import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import type { Environment } from '@escapement/service/config';

export const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type Manager = (typeof MANAGERS)[number];

/** Lock files, the newer name of a manager's first. */
const LOCK_FILES: Readonly<Record<string, Manager>> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

/** How to get one that is missing. */
const GET: Readonly<Record<Manager, string>> = {
  npm: 'it comes with Node.js: https://nodejs.org',
  pnpm: 'corepack enable pnpm, or npm install --global pnpm',
  yarn: 'corepack enable yarn, or npm install --global yarn',
  bun: 'npm install --global bun',
};

export interface FoundManager {
  name: Manager;
  /** What says so, for messages: `pnpm-lock.yaml`. */
  because: string;
}

/** A folder that may say which package manager is used, and its field `packageManager`. */
export interface Place {
  folder: string;
  packageManager: string | undefined;
}

/**
 * The package manager of a project: by the field `packageManager`, then by a lock file, in the project's folder and then in the root of its
 * monorepo; else the one that started this command. Undefined: nothing says.
 */
export function findManager(places: readonly Place[], env: Environment): FoundManager | undefined {
  for (const { folder, packageManager } of places) {
    const named = MANAGERS.find((name) => packageManager?.startsWith(`${name}@`));
    if (named !== undefined) return { name: named, because: `"packageManager": "${packageManager}"` };
    const [file, name] = Object.entries(LOCK_FILES).find(([each]) => existsSync(path.join(folder, each))) ?? [];
    if (file !== undefined && name !== undefined) return { name, because: file };
  }
  const agent = MANAGERS.find((name) => env.npm_config_user_agent?.startsWith(`${name}/`));
  return agent && { name: agent, because: 'it started this command' };
}

/** Whether Yarn keeps packages in archives, or will: it does from version 2 on, unless `nodeLinker` says otherwise. */
export function usesPlugAndPlay(places: readonly Place[]): boolean {
  const has = (file: string) => places.some(({ folder }) => existsSync(path.join(folder, file)));
  if (has('.pnp.cjs')) return true;
  if (!places.some(({ packageManager }) => /^yarn@([2-9]|\d\d)/.test(packageManager ?? ''))) return false;
  const settings = places.map(({ folder }) => path.join(folder, '.yarnrc.yml')).filter((file) => existsSync(file));
  return !settings.some((file) => /^nodeLinker: *["']?(node-modules|pnpm)\b/m.test(readFileSync(file, 'utf8')));
}

/** Those that can be started here. */
export function availableManagers(env: Environment): Manager[] {
  return MANAGERS.filter((name) => isThere(name, env));
}

/** Throws `no_package_manager` where it cannot be started. */
export function requireManager({ name, because }: FoundManager, env: Environment): void {
  if (isThere(name, env)) return;
  throw new EscapementError('no_package_manager', `this project uses ${name} (${because}), which is not on the PATH`, {
    fix: `install it (${GET[name]}), or name another one by --package-manager`,
  });
}

function isThere(name: Manager, env: Environment): boolean {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.some((folder) =>
    [name, `${name}.cmd`, `${name}.exe`].some((file) => existsSync(path.join(folder, file))),
  );
}
