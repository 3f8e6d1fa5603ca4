import { runDev } from '@escapement/dev';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { projectLayout } from '../dev/project-layout.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';

export function addDev(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('dev')
    .description('run servers, migrations, a scheduler, a worker and the API in this folder, until Ctrl-C')
    .option('--tasks <folders...>', 'folders of tasks, from this one; the worker reloads what changes there', ['tasks'])
    .action(async ({ tasks }: { tasks: string[] }) => {
      await runDev(projectLayout(context.cwd, tasks), context.env);
      end(EXIT.failed);
    });
}
