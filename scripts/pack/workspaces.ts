import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { root } from '../process.mjs';

const exported = z.union([z.string(), z.record(z.string(), z.string())]);

const manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  files: z.array(z.string()).default([]),
  exports: z.record(z.string(), exported).default({}),
  bin: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  publishConfig: z.object({ access: z.literal('public'), provenance: z.literal(true) }).optional(),
});

export type Manifest = z.output<typeof manifest>;

export interface Workspace {
  /** From the root: `packages/core`. */
  folder: string;
  manifest: Manifest;
}

/** The workspaces that are published: those that say how. */
export function publishedWorkspaces(): Workspace[] {
  return ['packages', 'apps']
    .flatMap((kind) => readdirSync(path.join(root, kind)).map((name) => `${kind}/${name}`))
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(path.join(root, folder)) }))
    .filter(({ manifest: { publishConfig } }) => publishConfig !== undefined);
}

export function readManifest(folder: string): Manifest {
  return manifest.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
}
