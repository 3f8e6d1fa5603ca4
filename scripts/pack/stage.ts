import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle, listOf } from '../../apps/cli/bundle/up-to-date.js';
import { SITE } from '../../apps/dashboard/build/site.ts';
import { root } from '../process.mjs';
import { publishedManifest } from './published-manifest.ts';
import type { Workspace } from './workspaces.ts';

/** What is in a package beside what was built of its own sources, by workspace. */
const BESIDE: Record<string, (target: string) => void | Promise<void>> = {
  'packages/store': (target) => {
    for (const part of ['migrations', 'functions', 'roles.sql'])
      cpSync(path.join(root, 'prisma', part), path.join(target, 'dist/prisma', part), { recursive: true });
  },
  'apps/api': (target) => cpSync(SITE, path.join(target, 'dist/site'), { recursive: true }),
  'apps/cli': async (target) => {
    // What `doctor` leads to.
    cpSync(path.join(root, 'docs'), path.join(target, 'docs'), {
      recursive: true,
      filter: (file) => (statSync(file).isDirectory() ? path.basename(file) !== 'pictures' : file.endsWith('.md')),
    });
    const { outputs } = await bundle();
    const folder = path.join(target, 'dist/bundle');
    mkdirSync(folder, { recursive: true });
    for (const { path: file, contents } of outputs) writeFileSync(path.join(folder, path.basename(file)), contents);
    writeFileSync(path.join(folder, 'bundle.json'), JSON.stringify(listOf(outputs, {})));
  },
};

/** Lays the package of a workspace out in a folder, as it is published. */
export async function stage(
  { folder, manifest }: Workspace,
  target: string,
  repository: string | undefined,
): Promise<void> {
  const from = path.join(root, folder);
  mkdirSync(target, { recursive: true });
  for (const part of manifest.files.filter((each) => existsSync(path.join(from, each)) && each !== 'dist/bundle'))
    cpSync(path.join(from, part), path.join(target, part), {
      recursive: true,
      filter: (file) => isShipped(path.relative(from, file), from),
    });
  await BESIDE[folder]?.(target);
  cpSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
  const published = publishedManifest(manifest, { folder, repository });
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

const BUILT = /^dist\/(.+)\.(?:d\.ts|js|js\.map)$/;

/** Types lead to sources that are not there; and the compiler leaves what it has made of a source that is gone. */
function isShipped(file: string, from: string): boolean {
  if (file.endsWith('.d.ts.map') || file.endsWith('.tsbuildinfo')) return false;
  const [, name] = BUILT.exec(file.split(path.sep).join('/')) ?? [];
  return name === undefined || existsSync(path.join(from, 'src', `${name}.ts`));
}
