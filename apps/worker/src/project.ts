import { accountsOf, findProjectConfig, readProjectConfig } from '@escapement/handlers';
import { type Environment, withProjectSettings } from '@escapement/service';

/**
 * The settings of a worker that starts in a folder: its environment, and beside it what the configuration there says. Throws
 * `bad_project_config`, `task_import`, and what is wrong with `ESCAPEMENT_RUN_AS`: as that user the configuration is loaded.
 */
export async function withProject(env: Environment, folder: string): Promise<Environment> {
  const file = findProjectConfig(folder);
  if (file === undefined) return env;
  const runAs = env.ESCAPEMENT_RUN_AS?.trim() || undefined;
  const accounts = await accountsOf({ runAs, allowRoot: false, env: {} });
  return withProjectSettings(env, await readProjectConfig(file, { accounts, env: {} }), file);
}
