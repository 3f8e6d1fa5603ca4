import { EscapementError } from '@escapement/core';
import { migrate } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, configOf } from '../context.ts';
import { counted } from '../output/wording.ts';
import { requireDatabaseUrl } from '../servers.ts';

export function addMigrate(program: Command, context: Context): void {
  program
    .command('migrate')
    .description('apply missing migrations; several processes may do it at once')
    .option('--create-database', 'create the database if it does not exist', false)
    .action(({ createDatabase }: { createDatabase: boolean }) => runMigrate(createDatabase, context));
}

async function runMigrate(createDatabase: boolean, context: Context): Promise<void> {
  const { output } = context;
  if (context.env.ESCAPEMENT_TOKEN !== undefined)
    throw new EscapementError('not_allowed', 'no token may change the schema: ESCAPEMENT_TOKEN is set', {
      fix: "unset it; migrations are for who has the password of the database's owner",
    });
  const url = requireDatabaseUrl(configOf(context));
  const done = await migrate(url, { createDatabase, log: output.format === 'json' ? undefined : output.note });
  output.result(done, () => [
    done.applied.length === 0
      ? `up to date: ${counted(done.already, 'migration')} applied before`
      : `up to date: ${counted(done.applied.length, 'change')} applied now, ${counted(done.already, 'migration')} before`,
  ]);
}
