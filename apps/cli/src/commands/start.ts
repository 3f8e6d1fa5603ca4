import { EscapementError } from '@escapement/core';
import type { Command } from 'commander';

/** `start`: bin/escapement.js has started what is a program. So this is here for --help, and to refuse the rest. */
export function addStart(program: Command): void {
  program
    .command('start')
    .description('run a program of the fleet in this process, until SIGTERM; it is configured by its environment')
    .argument('<program>', 'scheduler, worker, api; all: these three in one process, for one small host')
    .action((name: string) => {
      throw new EscapementError(
        'unknown_program',
        `${JSON.stringify(name)} is no program, or more was given than its name`,
        {
          fix: 'give one of scheduler, worker, api and all, and nothing else',
        },
      );
    });
}
