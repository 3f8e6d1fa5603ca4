import path from 'node:path';
import { findProjectConfig } from '@escapement/handlers';
import {
  BUILD_MANIFEST,
  describeConfig,
  type Environment,
  findBuild,
  loadConfig,
  type Role,
  withBuild,
  withProjectSettings,
} from '@escapement/service/config';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { ownConfig } from '../dev/own-config.ts';
import { environmentOf } from '../servers.ts';

const ROLES: readonly Role[] = ['scheduler', 'worker', 'cli'];

interface ConfigRow {
  variable: string;
  value: string;
  /** Where it comes from. */
  from: string;
}

export function addConfig(program: Command, context: Context): void {
  program
    .command('config')
    .description(
      'list every setting that a process would have in this environment, and where it comes from; passwords are masked',
    )
    .addOption(new Option('--role <role>', 'whose settings').choices(ROLES).default('cli'))
    .action(({ role }: { role: Role }) => showConfig(role, context));
}

/** As a worker that starts here would have it. */
async function asWorker(env: Environment, cwd: string): Promise<{ env: Environment; file: string | undefined }> {
  const build = findBuild(env, cwd);
  if (build !== undefined) return { env: withBuild(env, build), file: path.join(build.folder, BUILD_MANIFEST) };
  const file = findProjectConfig(cwd);
  return { env: file === undefined ? env : withProjectSettings(env, await ownConfig(cwd), file), file };
}

async function showConfig(role: Role, { env: given, cwd, output }: Context): Promise<void> {
  const { env, devFile } = environmentOf(given, cwd);
  const { env: all, file } = role === 'worker' ? await asWorker(env, cwd) : { env, file: undefined };
  const settings = Object.entries(describeConfig(loadConfig(all, role)));
  const rows = settings.map(([variable, value]): ConfigRow => {
    if (given[variable]?.trim() && given[variable] === all[variable]) return { variable, value, from: 'environment' };
    if (env[variable] !== undefined && devFile) return { variable, value, from: devFile };
    return { variable, value, from: all[variable] === undefined || !file ? 'default' : file };
  });
  output.table(rows, rows, [
    { title: 'VARIABLE', value: ({ variable }) => variable },
    { title: 'VALUE', value: ({ value }) => value, wraps: true },
    { title: 'FROM', value: ({ from }) => from },
  ]);
}
