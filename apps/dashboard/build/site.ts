import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const app = path.join(root, 'apps', 'dashboard');
/** Where the built files lie. */
export const SITE = path.join(app, 'dist', 'site');
/** The packages that are in them. */
const PACKAGES = path.join(app, 'dist', 'site-packages.json');
/** Of which sources they were made. */
const STAMP = path.join(app, 'dist', 'site-hash');

const SOURCES = ['src', 'public', 'build', 'index.html', 'vite.config.ts', 'package.json', '../../package-lock.json'];

/** Builds the site where there is none of the sources as they stand. True: it did. Throws what Vite says of a source that is none. */
export async function buildSite(): Promise<boolean> {
  const hash = hashOfSources();
  if (
    existsSync(path.join(SITE, 'index.html')) &&
    existsSync(PACKAGES) &&
    existsSync(STAMP) &&
    readFileSync(STAMP, 'utf8') === hash
  )
    return false;
  const { build } = await import('vite');
  // Vite goes by it, and by nothing that it is given: within a test it is `test`, and React would be the one for developers.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    const built = await build({ root: app, configFile: path.join(app, 'vite.config.ts'), logLevel: 'error' });
    writeFileSync(PACKAGES, JSON.stringify(packagesIn(built)));
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
  }
  writeFileSync(STAMP, hash);
  return true;
}

/** The names of the packages that are in the site as it was built. */
export function packagesOfSite(): string[] {
  return z.array(z.string()).parse(JSON.parse(readFileSync(PACKAGES, 'utf8')));
}

const chunks = z.array(z.object({ moduleIds: z.array(z.string()).default([]) }));
const output = z.union([z.object({ output: chunks }).transform((one) => [one]), z.array(z.object({ output: chunks }))]);

function packagesIn(built: unknown): string[] {
  const modules = output.parse(built).flatMap((each) => each.output.flatMap(({ moduleIds }) => moduleIds));
  const names = modules.flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((name) => filesOf(path.join(app, name)))) {
    hash.update(path.relative(root, file)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(name: string): string[] {
  if (!existsSync(name)) return [];
  const entries = readdirSync(path.dirname(name), { withFileTypes: true });
  if (!entries.find((entry) => entry.name === path.basename(name))?.isDirectory()) return [name];
  return readdirSync(name, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}
