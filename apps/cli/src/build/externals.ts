import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { z } from 'zod';

/** What the worker has itself: a task must have the same, not a copy. */
const OURS = ['escapement', '@escapement/*', '@opentelemetry/api'];
/** Packages by which others load native code. */
const LOADERS = [
  'bindings',
  'node-gyp-build',
  'prebuild-install',
  'node-pre-gyp',
  '@mapbox/node-pre-gyp',
  'node-addon-api',
];

const names = z.record(z.string(), z.string()).catch({});
const manifest = z.looseObject({
  version: z.string().catch('*'),
  gypfile: z.boolean().optional().catch(undefined),
  dependencies: names,
  optionalDependencies: names,
});

/** The package that an import names; undefined: it names a module of the project, or of Node. */
export function packageOf(specifier: string): string | undefined {
  const [, name] = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:\/|$)/i.exec(specifier) ?? [];
  return name;
}

/** Where a package is installed, seen from a folder; undefined: it is not. */
export function installedPackage(name: string, from: string): string | undefined {
  const places = createRequire(path.join(from, 'package.json')).resolve.paths(name) ?? [];
  return places.map((place) => path.join(place, name)).find((folder) => existsSync(path.join(folder, 'package.json')));
}

const readManifest = (folder: string) =>
  manifest.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));

export function versionOf(name: string, from: string): string {
  const folder = installedPackage(name, from);
  return folder === undefined ? '*' : readManifest(folder).version;
}

/** Whether a package has code for one platform in it, which no bundle can have. */
export function isNative(folder: string): boolean {
  const { gypfile, dependencies, optionalDependencies } = readManifest(folder);
  if (gypfile || existsSync(path.join(folder, 'binding.gyp')) || existsSync(path.join(folder, 'prebuilds')))
    return true;
  if (LOADERS.some((loader) => loader in dependencies)) return true;
  return Object.keys(optionalDependencies).some((name) => /(linux|darwin|win32)-(x64|arm64|ia32|arm)/.test(name));
}

/** Leaves out what the worker has, what is native, and what the project declares. */
export function externalPackages(declared: readonly string[]): Plugin {
  const isNamed = matcherOf([...OURS, ...declared]);
  return {
    name: 'external packages',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path: specifier, resolveDir, kind }) => {
        const name = kind === 'entry-point' ? undefined : packageOf(specifier);
        if (name === undefined) return undefined;
        const folder = isNamed(name) ? undefined : installedPackage(name, resolveDir);
        return isNamed(name) || (folder !== undefined && isNative(folder))
          ? { path: specifier, external: true }
          : undefined;
      });
    },
  };
}

function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  return (name) =>
    patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}
