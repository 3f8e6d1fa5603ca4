import { EscapementError } from '@escapement/core';
import { migrate, ROLE_PREFIX } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, configOf } from '../context.ts';
import { counted } from '../output/wording.ts';
import { requireDatabaseUrl } from '../servers.ts';

export function addMigrate(program: Command, context: Context): void {
  program
    .command('migrate')
    .description('apply missing migrations; several processes may do it at once')
    .option('--create-database', 'create the database if it does not exist', false)
    .option(
      '--roles',
      'set up the roles of prisma/roles.sql, each with its rights; needs CREATEROLE, if one is missing',
      false,
    )
    .option(
      '--role-prefix <prefix>',
      `what the names of the roles begin with; with --roles (default: that in use, or ${ROLE_PREFIX})`,
    )
    .action((options: MigrateChoices) => runMigrate(options, context));
}

interface MigrateChoices {
  createDatabase: boolean;
  roles: boolean;
  rolePrefix?: string;
}

async function runMigrate({ createDatabase, roles, rolePrefix }: MigrateChoices, context: Context): Promise<void> {
  const { output } = context;
  if (context.env.ESCAPEMENT_TOKEN !== undefined)
    throw new EscapementError('not_allowed', 'no token may change the schema: ESCAPEMENT_TOKEN is set', {
      fix: "unset it; migrations are for who has the password of the database's owner",
    });
  if (rolePrefix !== undefined && !roles)
    throw new EscapementError('missing_option', `--role-prefix ${rolePrefix} says nothing without --roles`, {
      fix: 'add --roles; a later `escapement migrate` knows the prefix by itself',
    });
  const url = requireDatabaseUrl(configOf(context), context.cwd);
  const log = output.format === 'json' ? undefined : output.note;
  const done = await migrate(url, { createDatabase, log, roles: roles ? { prefix: rolePrefix } : undefined });
  output.result(done, () => [
    ...(done.rolePrefix === undefined ? [] : [`roles: ${done.rolePrefix}... have the rights of prisma/roles.sql`]),
    done.applied.length === 0
      ? `up to date: ${counted(done.already, 'migration')} applied before`
      : `up to date: ${counted(done.applied.length, 'change')} applied now, ${counted(done.already, 'migration')} before`,
  ]);
}
