import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import dockerignore from '@balena/dockerignore';

/** What a builder is given of a repository: what Git knows or would take, but for what .dockerignore leaves out. */
export function copyContext(root: string, target: string): void {
  const ignore = dockerignore.default().add(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files) {
    if (file === '' || ignore.ignores(file) || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(join(root, file), join(target, file));
  }
}
