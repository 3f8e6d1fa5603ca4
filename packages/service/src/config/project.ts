import path from 'node:path';
import { EscapementError } from '@escapement/core';
import type { Environment } from './environment.ts';
import { VARIABLES } from './variables.ts';

/** What a project's configuration says of its workers. */
export interface ProjectSettings {
  /** From the folder of the configuration. */
  readonly tasks?: readonly string[];
  readonly app?: string;
  readonly pools?: readonly string[];
  readonly concurrency?: number;
  readonly taskEnv?: readonly string[];
}

const FIELDS = ['tasks', 'app', 'pools', 'concurrency', 'taskEnv'] as const;

/** Where tasks are if the configuration does not say. */
export const DEFAULT_TASKS: readonly string[] = ['tasks'];

/**
 * The environment of a worker with a project's configuration beside it: what the environment sets comes first. Throws `bad_project_config` with
 * every value that the variable of a field could not have.
 *
 * @param file Where the settings stand: their paths count from its folder.
 */
export function withProjectSettings(env: Environment, settings: ProjectSettings, file: string): Environment {
  const problems: string[] = [];
  const variables: Record<string, string> = {};
  const { tasks = DEFAULT_TASKS } = settings;
  const all = { ...settings, tasks: tasks.map((each) => path.resolve(path.dirname(file), each)) };
  for (const field of FIELDS) {
    const { env: variable, schema } = VARIABLES[field];
    const text = all[field] === undefined ? '' : String(all[field]);
    if (text === '') continue;
    if (schema.safeParse(text).success) variables[variable] = text;
    else problems.push(`${field} is ${JSON.stringify(settings[field])}: it must be ${schema.description}`);
  }
  if (problems.length > 0)
    throw new EscapementError('bad_project_config', `${file}: ${problems.join('; ')}`, { fix: 'mend it there' });
  // An empty value counts as absent.
  return { ...variables, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim())) };
}
