import { findProjectConfig } from '@escapement/handlers';
import { describeConfig, loadConfig, type Role, withProjectSettings } from '@escapement/service/config';
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

async function showConfig(role: Role, { env: given, cwd, output }: Context): Promise<void> {
  const { env, devFile } = environmentOf(given, cwd);
  const file = role === 'worker' ? findProjectConfig(cwd) : undefined;
  const all = file === undefined ? env : withProjectSettings(env, await ownConfig(cwd), file);
  const settings = Object.entries(describeConfig(loadConfig(all, role)));
  const rows = settings.map(([variable, value]): ConfigRow => {
    if (given[variable]?.trim()) return { variable, value, from: 'environment' };
    if (env[variable] !== undefined && devFile) return { variable, value, from: devFile };
    return { variable, value, from: all[variable] === undefined || !file ? 'default' : file };
  });
  output.table(rows, rows, [
    { title: 'VARIABLE', value: ({ variable }) => variable },
    { title: 'VALUE', value: ({ value }) => value, wraps: true },
    { title: 'FROM', value: ({ from }) => from },
  ]);
}
