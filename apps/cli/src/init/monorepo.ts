import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { parse } from 'yaml';
import { z } from 'zod';
import { type ProjectManifest, readManifest } from './manifest.ts';

const patterns = z.array(z.string());
const workspaces = z.union([patterns, z.looseObject({ packages: patterns }).transform(({ packages }) => packages)]);
const pnpm = z.looseObject({ packages: patterns.default([]) }).nullable();

const PNPM_FILE = 'pnpm-workspace.yaml';
/** A pattern may lead anywhere; what is installed or built is no package of the monorepo. */
const NEVER = new Set(['node_modules', '.git', 'dist']);
const MOST_LEVELS = 6;

export function isMonorepo(folder: string, value: ProjectManifest | undefined): boolean {
  return value?.workspaces !== undefined || existsSync(path.join(folder, PNPM_FILE));
}

/** The folders of a monorepo's packages, from its root, in order. Throws `bad_workspaces`. */
export function packagesOf(root: string, value: ProjectManifest | undefined): string[] {
  const all = patternsOf(root, value).map((pattern) => pattern.replace(/^\.\//, '').replace(/\/+$/, ''));
  const wanted = all.filter((pattern) => !pattern.startsWith('!')).map(matcherOf);
  const not = all.filter((pattern) => pattern.startsWith('!')).map((pattern) => matcherOf(pattern.slice(1)));
  return foldersBelow(root, '', MOST_LEVELS)
    .filter((folder) => wanted.some((is) => is.test(`${folder}/`)) && !not.some((is) => is.test(`${folder}/`)))
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')))
    .toSorted();
}

function patternsOf(root: string, value: ProjectManifest | undefined): string[] {
  const file = path.join(root, PNPM_FILE);
  try {
    if (existsSync(file)) return pnpm.parse(parse(readFileSync(file, 'utf8')))?.packages ?? [];
    return workspaces.parse(value?.workspaces ?? []);
  } catch (cause) {
    const where = existsSync(file) ? file : `"workspaces" in ${path.join(root, 'package.json')}`;
    throw new EscapementError('bad_workspaces', `${where} cannot be read as a list of packages`, {
      cause,
      fix: 'mend it, or go to the folder of a package and give the command there',
    });
  }
}

/** `*` is one name, or a part of one; `**` any number of folders. For a folder with a slash at its end. */
function matcherOf(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part === '**') return '(?:[^/]+/)*';
    return `${part.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '[^/]*')}/`;
  });
  return new RegExp(`^${parts.join('')}$`);
}

function foldersBelow(root: string, from: string, levels: number): string[] {
  if (levels === 0) return [];
  const entries = readdirSync(path.join(root, from), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !NEVER.has(entry.name))
    .map((entry) => path.posix.join(from, entry.name))
    .flatMap((folder) => [folder, ...foldersBelow(root, folder, levels - 1)]);
}

/** The root of the monorepo that a folder is in; undefined: it is in none. */
export function monorepoAround(folder: string): string | undefined {
  const parent = path.dirname(folder);
  if (parent === folder) return undefined;
  return isMonorepo(parent, readManifest(parent)?.value) ? parent : monorepoAround(parent);
}
