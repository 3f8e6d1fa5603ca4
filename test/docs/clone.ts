import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterFile } from '@escapement/testkit';
import { root } from '../../scripts/process.mjs';

const exec = promisify(execFile);

/**
 * A clone of the repository as it is here, with the packages that are installed here, as links to the same files: nothing writes into these.
 * It is beside them, since such links do not lead to another disk.
 */
export async function makeClone(): Promise<string> {
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(path.join(root, 'dist', 'clone-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await exec('git', listed, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const files = stdout.split('\0').filter((name) => name !== '' && existsSync(path.join(root, name)));
  for (const file of files) cpSync(path.join(root, file), path.join(folder, file));
  for (const modules of ['', ...workspacesIn(files)].map((name) => path.join(name, 'node_modules')))
    if (existsSync(path.join(root, modules)))
      await exec('cp', ['-al', path.join(root, modules), path.join(folder, modules)]);
  return folder;
}

function workspacesIn(files: readonly string[]): string[] {
  return files.filter((file) => file.endsWith('/package.json')).map((file) => path.dirname(file));
}

/** The environment of a reader: nothing of these tests, and no servers of theirs. */
export function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|TEST|NODE_ENV|NODE_OPTIONS|DATABASE_URL|REDIS_URL|ESCAPEMENT_|OTEL_)/.test(name),
  );
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...more };
}

export interface Ended {
  code: number | null;
  /** Standard output and error, as they came. */
  printed: string;
}

/** Runs a line as a shell does. */
export function shell(line: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    const keep = (piece: Buffer) => {
      printed += piece.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, printed }));
  });
}
