import { runDev } from '@escapement/dev';
import { DEFAULT_TASKS } from '@escapement/service/config';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { ownConfig } from '../dev/own-config.ts';
import { projectLayout } from '../dev/project-layout.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';

export function addDev(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('dev')
    .description('run servers, migrations, a scheduler, a worker and the API in this folder, until Ctrl-C')
    .option(
      '--tasks <folders...>',
      'folders of tasks, from this one; the worker reloads what changes there. Default: as escapement.config.ts says, else tasks',
    )
    .option('--join', 'join a fleet that works on DATABASE_URL already: migrate its database, and run its tasks')
    .action(async ({ tasks, join = false }: { tasks?: string[]; join?: boolean }) => {
      const folders = async () => {
        const config = await ownConfig(context.cwd);
        return { tasks: tasks ?? config.tasks ?? DEFAULT_TASKS, watch: config.watch ?? ['src'] };
      };
      await runDev(projectLayout(context.cwd, await folders(), folders), context.env, { join });
      end(EXIT.failed);
    });
}
