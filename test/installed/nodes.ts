import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { outside, ownEnvironment } from './project.ts';

const exec = promisify(execFile);

/** The lines of Node that people run beside the oldest one, which runs the tests: what the images have, and what is supported longest. */
export const NEWER_NODES = ['22.23.3', '24.21.0'] as const;

/** The program of another version, from npm; or why npm cannot give it: it has none for this machine, or cannot be asked. */
export async function nodeOf(version: string): Promise<{ node: string } | { missing: string }> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = outside('node');
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'node-of-another-version', private: true }));
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--no-save'];
  try {
    await exec('npm', ['install', ...options, `${name}@${version}`], { cwd: folder, env: ownEnvironment() });
  } catch (error) {
    return { missing: `Node ${version} cannot be had from npm: ${String(error).slice(0, 300)}` };
  }
  return { node: path.join(folder, 'node_modules', name, 'bin/node') };
}
