import type { AnswerOf } from '@escapement/api/calls';
import {
  changePassword,
  createToken,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  grantUser,
  listTokens,
  listUsers,
  revokeToken,
} from '@escapement/api/routes';
import { EscapementError, nearest, readInstant } from '@escapement/core';
import { EXTRA_RIGHTS, type ExtraRight, parseSelector, ROLES, type Role } from '@escapement/core/rights';
import { newPassword, TOKEN_LIFE_MS } from '@escapement/operations';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { inUtc, systemZone } from '../output/wording.ts';

type User = AnswerOf<typeof listUsers>['items'][number];
type Token = AnswerOf<typeof listTokens>['items'][number];

interface GrantOptions {
  role: Role;
  rights?: ExtraRight[];
  scope?: string;
}

interface PasswordOptions {
  passwordStdin: boolean;
}

/** `users create`, `list`, `grant`, `password`, `disable`, `enable`, `delete`. */
export function addUsers(program: Command, context: Context): void {
  const users = program.command('users').description('people who may sign in to this namespace, and what they may do');
  withPassword(
    withGrant(users.command('create').description('make a user').argument('<name>', 'name of the user')),
  ).action((name: string, options: GrantOptions & PasswordOptions) => makeUser(name, options, context));
  users
    .command('list')
    .description('all users of the namespace')
    .action(() => showUsers(context));
  withGrant(
    users
      .command('grant')
      .description('give a user a role, rights and a scope in place of theirs')
      .argument('<name>', 'name of the user'),
  ).action(async (name: string, { role, rights, scope }: GrantOptions) => {
    await withFleet(context, (fleet) => fleet.call(grantUser, { query: { name }, body: { role, rights, scope } }));
    const words = [role, ...(rights ?? []), scope === undefined ? 'on everything' : `on ${scope}`].join(', ');
    context.output.result({ name }, () => [`the user "${name}" has: ${words}`]);
  });
  withPassword(
    users.command('password').description('give a user another password').argument('<name>', 'name of the user'),
  ).action((name: string, options: PasswordOptions) => newPasswordFor(name, options, context));
  users
    .command('disable')
    .description('keep a user out until they are enabled again; their sessions end')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      await withFleet(context, (fleet) => fleet.call(disableUser, { query: { name }, body: {} }));
      context.output.result({ name }, () => [`the user "${name}" is disabled`]);
    });
  users
    .command('enable')
    .description('let a user sign in again who was disabled')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      await withFleet(context, (fleet) => fleet.call(enableUser, { query: { name }, body: {} }));
      context.output.result({ name }, () => [`the user "${name}" may sign in again`]);
    });
  users
    .command('delete')
    .description('delete a user; what they did stays in the audit')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      await withFleet(context, (fleet) => fleet.call(deleteUser, { query: { name } }));
      context.output.result({ name }, () => [`the user "${name}" is deleted`]);
    });
}

/** `tokens create`, `list`, `revoke`. */
export function addTokens(program: Command, context: Context): void {
  const tokens = program.command('tokens').description('tokens for programs of this namespace, and what they may do');
  withGrant(
    tokens.command('create').description('make a token; it is shown this once').argument('<name>', 'what it is for'),
  )
    .option('--expires <instant>', 'ISO 8601, a span such as 30d, or never; default: in 90 days')
    .action((name: string, options: GrantOptions & { expires?: string }) => makeToken(name, options, context));
  tokens
    .command('list')
    .description('all tokens of the namespace, without what lets anybody in')
    .action(() => showTokens(context));
  tokens
    .command('revoke')
    .description('end a token at once')
    .argument('<id>', 'id of the token, as `tokens list` shows it')
    .action(async (id: string) => {
      await withFleet(context, (fleet) => fleet.call(revokeToken, { params: { id } }));
      context.output.result({ id }, () => [`the token ${id} is revoked`]);
    });
}

function withGrant(command: Command): Command {
  return command
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--rights <rights>', `beside the role, separated by commas: ${EXTRA_RIGHTS.join(', ')}`, readRights)
    .option('--scope <selector>', 'only on tasks with these labels, as team=shop; default: on everything', readScope);
}

function withPassword(command: Command): Command {
  return command.option(
    '--password-stdin',
    'read the password from standard input; default: one is made and shown',
    false,
  );
}

/** Throws `unknown_right`. */
function readRights(text: string): ExtraRight[] {
  return text.split(',').map((word) => {
    const found = EXTRA_RIGHTS.find((right) => right === word.trim());
    if (found) return found;
    const near = nearest(word, EXTRA_RIGHTS);
    throw new EscapementError('unknown_right', `--rights has "${word.slice(0, 40)}"`, {
      fix: near ? `did you mean ${near}?` : `give one or more of ${EXTRA_RIGHTS.join(', ')}`,
    });
  });
}

function readScope(text: string): string {
  return parseSelector(text).text;
}

async function makeUser(name: string, options: GrantOptions & PasswordOptions, context: Context): Promise<void> {
  const { role, rights, scope } = options;
  const password = await passwordOf(options, context);
  await withFleet(context, (fleet) => fleet.call(createUser, { body: { name, password, role, rights, scope } }));
  showPassword(name, password, options, context);
}

async function newPasswordFor(name: string, options: PasswordOptions, context: Context): Promise<void> {
  const password = await passwordOf(options, context);
  await withFleet(context, (fleet) => fleet.call(changePassword, { query: { name }, body: { password } }));
  showPassword(name, password, options, context);
}

/** Without the line break that `echo` ends it with. */
async function passwordOf({ passwordStdin }: PasswordOptions, { stdin }: Context): Promise<string> {
  return passwordStdin ? (await stdin()).replace(/\r?\n$/, '') : newPassword();
}

function showPassword(name: string, password: string, { passwordStdin }: PasswordOptions, { output }: Context): void {
  output.result({ name, ...(passwordStdin ? {} : { password }) }, () => [passwordStdin ? name : password]);
  if (!passwordStdin) output.note(`the password of "${name}"; it is shown this once`);
}

async function showUsers(context: Context): Promise<void> {
  const { items: users } = await withFleet(context, (fleet) => fleet.call(listUsers, {}));
  context.output.table(users, users, [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'RIGHTS', value: ({ rights }) => rights.join(', ') || '-' },
    { title: 'SCOPE', value: ({ scope }) => scope ?? 'everything' },
    { title: 'MADE', value: ({ createdAt, createdBy }) => `${inUtc(createdAt)} by ${createdBy}` },
    { title: 'SIGNS IN', value: signsIn },
  ]);
  if (users.length === 0) context.output.note('there are no users');
}

function signsIn({ disabled, issuer, passwordAt }: User): string {
  if (disabled !== null) return disabled === 'by-admin' ? 'no: disabled' : 'no: in no group with a role';
  return issuer === null ? `by a password of ${inUtc(passwordAt)}` : `at ${issuer}`;
}

async function makeToken(name: string, options: GrantOptions & { expires?: string }, context: Context): Promise<void> {
  const { role, rights, scope, expires } = options;
  const { output, clock } = context;
  const lifeMs = lifeOf(expires, clock.now());
  const body = { name, role, rights, scope, lifeMs };
  const made = await withFleet(context, (fleet) => fleet.call(createToken, { body }));
  output.result({ name, ...made }, () => [made.token]);
  const until = made.expiresAt ? `until ${inUtc(made.expiresAt)}` : 'for ever';
  output.note(`the token "${name}", id ${made.id}, ${until}; it is shown this once. Give it as ESCAPEMENT_TOKEN`);
}

function lifeOf(expires: string | undefined, now: Date): number | null {
  if (expires === undefined) return TOKEN_LIFE_MS;
  if (expires === 'never') return null;
  const at = readInstant(expires, { what: '--expires', now, spans: 'ahead', timeZone: systemZone() });
  return at.getTime() - now.getTime();
}

async function showTokens(context: Context): Promise<void> {
  const { items: tokens } = await withFleet(context, (fleet) => fleet.call(listTokens, {}));
  const now = context.clock.now();
  context.output.table(tokens, tokens, [
    { title: 'ID', value: ({ id }) => id, whole: true },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'RIGHTS', value: ({ rights }) => rights.join(', ') || '-' },
    { title: 'SCOPE', value: ({ scope }) => scope ?? 'everything' },
    { title: 'STATE', value: (token) => tokenState(token, now) },
    { title: 'LAST USED', value: ({ lastUsedAt }) => (lastUsedAt ? inUtc(lastUsedAt) : 'never') },
    { title: 'MADE', value: ({ createdAt, createdBy }) => `${inUtc(createdAt)} by ${createdBy}` },
  ]);
  if (tokens.length === 0) context.output.note('there are no tokens');
}

function tokenState({ revokedAt, expiresAt }: Token, now: Date): string {
  if (revokedAt) return `revoked at ${inUtc(revokedAt)}`;
  if (!expiresAt) return 'in use for ever';
  return expiresAt <= now ? `expired at ${inUtc(expiresAt)}` : `until ${inUtc(expiresAt)}`;
}
