import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterFile, stopwatch } from '@escapement/testkit';
import type { Packed } from '../../scripts/pack/pack.ts';
import { testedVersions } from './third-party.ts';

export interface Project {
  folder: string;
  /** Writes a file, and the folders around it. */
  write(file: string, content: string): void;
  /** How long the install took, in fair time. */
  installMs: number;
  /** What a program of a package wrote that ended well. Rejects with what it said where it did not. */
  run(program: string, args: readonly string[], at?: { env?: Record<string, string>; cwd?: string }): Promise<string>;
}

const exec = promisify(execFile);

/** A folder outside of this repository, which is deleted after the file. */
export function outside(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `escapement-${name}-`));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment of a person: nothing of what npm and Vitest tell their own children. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const passed = /^(npm_|NODE_|VITEST|TEST$|DEV$|PROD$|MODE$|SSR$|BASE_URL$|DATABASE_URL$|REDIS_URL$|ESCAPEMENT_)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !passed.test(name)));
}

/** An empty project outside of this repository, with these packages installed from their tarballs, and others beside them. */
export async function projectWith(packages: readonly Packed[], others: readonly string[]): Promise<Project> {
  const folder = outside('installed');
  const write = (file: string, content: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  };
  const { versions, overrides } = testedVersions(others);
  const dependencies = Object.fromEntries(packages.map(({ name, file }) => [name, `file:${file}`]));
  const manifest = { name: 'shop', private: true, dependencies, devDependencies: versions, overrides };
  write('package.json', JSON.stringify(manifest));
  // Where the cache has all of it, no registry is asked. No script of a package runs: none is needed.
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress'];
  const tookMs = await stopwatch();
  await exec('npm', ['install', ...options], { cwd: folder, env: ownEnvironment(), maxBuffer: 16 * 1024 * 1024 });
  return {
    folder,
    write,
    installMs: await tookMs(),
    run: async (program, args, { env = {}, cwd = folder } = {}) => {
      const options = { cwd, env: { ...ownEnvironment(), ...env }, maxBuffer: 16 * 1024 * 1024 };
      return (await exec(path.join(folder, 'node_modules/.bin', program), [...args], options)).stdout;
    },
  };
}
