import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EscapementError, nearest } from '@escapement/core';
import type { ProjectConfig } from '@escapement/sdk';
import { z } from 'zod';
import { loadInProcess } from './process/describe-tasks.ts';
import { type LookOptions, withPool } from './process/with-pool.ts';

const FILES = ['ts', 'mts', 'js', 'mjs'].map((end) => `escapement.config.${end}`);

const names = z.array(z.string().min(1));

const shape = z.strictObject({
  tasks: names.min(1).exactOptional(),
  app: z.string().exactOptional(),
  pools: names.min(1).exactOptional(),
  concurrency: z.number().exactOptional(),
  taskEnv: names.exactOptional(),
  watch: names.exactOptional(),
  build: z.strictObject({ external: names.exactOptional() }).exactOptional(),
}) satisfies z.ZodType<ProjectConfig>;

/** What a configuration in a folder may be called. */
export function projectConfigFiles(folder: string): string[] {
  return FILES.map((file) => join(folder, file));
}

/** The configuration in a folder; undefined: there is none. Throws `bad_project_config` where there are two. */
export function findProjectConfig(folder: string): string | undefined {
  const [first, second] = FILES.filter((file) => existsSync(join(folder, file)));
  if (second !== undefined)
    throw new EscapementError('bad_project_config', `${folder} has ${first} and ${second}`, {
      fix: 'keep one of them',
    });
  return first && join(folder, first);
}

/**
 * What a module of the configuration says. It is loaded in a process of its own, so that it cannot reach the credentials of this one. Throws
 * `task_import` where it cannot be loaded, and `bad_project_config` where a field is unknown or of another kind.
 */
export async function readProjectConfig(file: string, options: LookOptions): Promise<ProjectConfig> {
  const said = await withPool(options, (pool) => loadInProcess({ file, what: 'config' }, pool));
  if (said instanceof EscapementError) throw said;
  return parse(said.config, file);
}

function parse(config: unknown, file: string): ProjectConfig {
  const parsed = shape.safeParse(config);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map(unknownField) : [wrongValue(config, issue)],
  );
  throw new EscapementError('bad_project_config', `${file}: ${problems.join('; ')}`, {
    fix: 'docs/reference/project-config.md lists the fields',
  });
}

function unknownField(field: string): string {
  const near = nearest(field, Object.keys(shape.shape));
  return `there is no field ${field}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

function wrongValue(config: unknown, { path, message }: z.core.$ZodIssue): string {
  const value = path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null
        ? Object.entries(found).find(([name]) => name === String(key))?.[1]
        : undefined,
    config,
  );
  return `${path.length === 0 ? 'it' : path.join('.')} is ${JSON.stringify(value)}: ${message}`;
}
