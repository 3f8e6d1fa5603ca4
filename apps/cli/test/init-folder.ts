import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterFile } from '@escapement/testkit';
import { type CliOptions, type Ran, runCli } from './cli.ts';

/** A folder with these files; what is no text is written as JSON. */
export function folderWith(files: Record<string, unknown> = {}): string {
  const made = mkdtempSync(join(tmpdir(), 'escapement-init-'));
  afterFile(() => rmSync(made, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made, file)), { recursive: true });
    writeFileSync(join(made, file), typeof content === 'string' ? content : JSON.stringify(content, null, 4));
  }
  return made;
}

/** A PATH on which these package managers are, and nothing else. */
export function pathWith(...managers: string[]): string {
  const folder = folderWith(Object.fromEntries(managers.map((name) => [name, '#!/bin/sh\n'])));
  for (const name of managers) chmodSync(join(folder, name), 0o755);
  return folder;
}

export async function init(cwd: string, args: readonly string[] = [], options: CliOptions = {}): Promise<Ran> {
  const PATH = pathWith('npm', 'pnpm', 'yarn', 'bun');
  return await runCli(['init', ...args], { cwd, ...options, env: { PATH, ...options.env } });
}

export const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
export const manifestOf = (cwd: string) => JSON.parse(read(cwd, 'package.json'));
export const filesOf = (cwd: string) => readdirSync(cwd, { recursive: true, encoding: 'utf8' }).toSorted();
/** Each file with what it says. */
export const contentOf = (cwd: string) =>
  Object.fromEntries(
    readdirSync(cwd, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), read(parentPath, name)]),
  );
