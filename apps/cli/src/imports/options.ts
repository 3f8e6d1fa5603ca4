import { EscapementError, NAME } from '@escapement/core';
import type { Command } from 'commander';
import { MAX_PRUNED, readCount, readPool, readSet } from '../options.ts';

/** What every import takes. */
export interface ImportOptions {
  write: boolean;
  only?: string[];
  strict: boolean;
  prune: boolean;
  allowPrune?: number;
  adopt: boolean;
  source: string;
  prefix?: string;
  pool?: string;
}

/** Adds the options of an import. `what`: what a task is made of, as messages call it. */
export function withImportOptions(command: Command, what: string): Command {
  return command
    .option('--write', 'create and update the tasks; without it nothing is changed', false)
    .option('--only <names>', 'with --write: only these tasks, with commas between; default: all', readNames)
    .option('--strict', `write nothing if any ${what} cannot be a task, or loses something`, false)
    .option('--prune', `with --write: also delete tasks of this source whose ${what} is gone`, false)
    .option(
      '--allow-prune <n>',
      'with --prune: delete up to so many, also if they are more than half of the source',
      readCount('--allow-prune', 0, MAX_PRUNED),
    )
    .option('--adopt', 'take over tasks that belong to another source', false)
    .option(
      '--source <name>',
      'name under which the tasks are found again at the next import',
      readSet('--source'),
      'default',
    )
    .option('--prefix <text>', 'before the name of each task, as in web1/', readPrefix)
    .option('--pool <name>', 'pool of workers for these tasks', readPool);
}

/** Throws `bad_name`. */
function readNames(text: string): string[] {
  return text.split(',').map((each) => {
    const name = each.trim();
    if (NAME.test(name)) return name;
    throw new EscapementError('bad_name', `--only has "${name}"`, {
      fix: 'give names of tasks as the preview shows them, with commas between',
    });
  });
}

/** Throws `bad_prefix`. */
function readPrefix(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$/.test(text)) return text;
  throw new EscapementError('bad_prefix', `--prefix is "${text}"`, {
    fix: 'letters, digits and ._:@/-, beginning with a letter or digit, at most 100',
  });
}
