import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { withProjectSettings } from './project.ts';

/** Beside the modules of a build: what `escapement build` made. */
export const BUILD_MANIFEST = 'escapement.build.json';
/** Where it puts them, from the project's folder. */
export const BUILD_FOLDER = 'dist/escapement';

const manifest = z.object({
  /** Of this file. A program that does not know it refuses the build. */
  format: z.literal(1),
  /** Of the package `escapement` that made it. */
  escapement: z.string(),
  release: z.string(),
  app: z.string(),
  pools: z.array(z.string()).exactOptional(),
  concurrency: z.number().exactOptional(),
  taskEnv: z.array(z.string()).exactOptional(),
  /** Each task, its module from the folder of this file, and the source of that from the project's. */
  tasks: z.array(z.object({ name: z.string(), module: z.string(), source: z.string() })),
  /** Packages that it needs beside it, with their versions. */
  externals: z.record(z.string(), z.string()),
});

export type BuildManifest = z.output<typeof manifest>;

/** A build that a worker is started from. */
export interface FoundBuild extends BuildManifest {
  folder: string;
}

/**
 * The build that a worker in this folder runs: the one that `ESCAPEMENT_TASKS` names; where that is not set, the one that is in the folder, or was
 * made in it. Undefined: none. Throws `bad_build`.
 */
export function findBuild(env: Environment, cwd: string): FoundBuild | undefined {
  const named = env.ESCAPEMENT_TASKS?.trim();
  const places = named ? [path.resolve(cwd, named)] : [cwd, path.join(cwd, BUILD_FOLDER)];
  const folder = places.find((place) => existsSync(path.join(place, BUILD_MANIFEST)));
  return folder === undefined ? undefined : { ...readBuild(path.join(folder, BUILD_MANIFEST)), folder };
}

function readBuild(file: string): BuildManifest {
  try {
    return manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new EscapementError('bad_build', `${file} is not what this version of \`escapement build\` writes`, {
      cause,
      fix: 'run `escapement build` again, by the same version of Escapement as the worker has',
    });
  }
}

/** The environment of a worker with what a build says beside it: what the environment sets comes first, but for where the tasks are. */
export function withBuild(env: Environment, build: FoundBuild): Environment {
  const { ESCAPEMENT_TASKS: _, ...rest } = env;
  const tasks = build.tasks.map(({ module }) => module);
  const variables = withProjectSettings(rest, { ...build, tasks }, path.join(build.folder, BUILD_MANIFEST));
  return { ESCAPEMENT_RELEASE: build.release, ...variables };
}
