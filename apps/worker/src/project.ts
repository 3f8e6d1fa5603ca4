import { accountsOf, findProjectConfig, readProjectConfig } from '@escapement/handlers';
import { type Environment, type FoundBuild, findBuild, withBuild, withProjectSettings } from '@escapement/service';

/** What a worker is started from. */
export interface Project {
  /** Its environment, and beside it what the project says. */
  env: Environment;
  /** Undefined: it runs the sources. */
  build: FoundBuild | undefined;
}

/**
 * The project in a folder: its build, else its configuration. Throws `bad_build`, `bad_project_config`, `task_import`, and what is wrong with
 * `ESCAPEMENT_RUN_AS`: as that user the configuration is loaded.
 */
export async function readProject(env: Environment, folder: string): Promise<Project> {
  const build = findBuild(env, folder);
  if (build !== undefined) return { env: withBuild(env, build), build };
  const file = findProjectConfig(folder);
  if (file === undefined) return { env, build };
  const runAs = env.ESCAPEMENT_RUN_AS?.trim() || undefined;
  const accounts = await accountsOf({ runAs, allowRoot: false, env: {} });
  return { env: withProjectSettings(env, await readProjectConfig(file, { accounts, env: {} }), file), build };
}
