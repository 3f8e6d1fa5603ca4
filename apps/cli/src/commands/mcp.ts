import type { Command } from 'commander';
import type { Context } from '../context.ts';

export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('let an assistant look at the fleet: the Model Context Protocol on standard input and output')
    .option('--allow-write', 'offer tools that change the fleet too: trigger, pause, resume, cancel, rerun', false)
    .action(async (options: { allowWrite: boolean }) => {
      // Loaded here: the help of all commands would wait for it.
      const { serveMcp } = await import('../mcp/serve.ts');
      await serveMcp(options, context);
    });
}
