import { describeConfig, loadConfig, type Role } from '@escapement/service/config';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
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

function showConfig(role: Role, { env: given, cwd, output }: Context): void {
  const { env, devFile } = environmentOf(given, cwd);
  const settings = Object.entries(describeConfig(loadConfig(env, role)));
  const rows = settings.map(([variable, value]): ConfigRow => {
    if (given[variable]?.trim()) return { variable, value, from: 'environment' };
    return { variable, value, from: env[variable] === undefined || !devFile ? 'default' : devFile };
  });
  output.table(rows, rows, [
    { title: 'VARIABLE', value: ({ variable }) => variable },
    { title: 'VALUE', value: ({ value }) => value, wraps: true },
    { title: 'FROM', value: ({ from }) => from },
  ]);
}
