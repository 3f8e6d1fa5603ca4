import { callsOverHttp } from '@escapement/api/calls';
import { getMe } from '@escapement/api/routes';
import { createSend } from '@escapement/client/http';
import type { Command } from 'commander';
import { dropLogin, writeLogin } from '../access/login-file.ts';
import { type Context, configOf } from '../context.ts';

/** `login`, `logout`. */
export function addLogin(program: Command, context: Context): void {
  program
    .command('login')
    .description('use the API of a server from now on, where neither ESCAPEMENT_URL nor a database is named')
    .argument('<url>', 'where the API is: https://jobs.example.com')
    .addHelpText('after', '\nThe token is read from standard input, or is that of ESCAPEMENT_TOKEN.')
    .action((url: string) => login(url, context));
  program
    .command('logout')
    .description('forget the server and the token of `escapement login`')
    .action(() => logout(context));
}

/** Throws `bad_api_url`, `no_api_token`, `api_unreachable`, `bad_token`: then nothing is kept. */
async function login(url: string, context: Context): Promise<void> {
  const token = configOf(context).token ?? (await context.stdin()).trim();
  const { principal, namespace, grants } = await callsOverHttp(createSend({ url, token })).call(getMe, {});
  const file = writeLogin(context.env, { url, token });
  const roles = grants.map(({ role, scope }) => (scope === null ? role : `${role} of ${scope}`)).join(', ');
  context.output.result({ url, namespace, name: principal.name, grants, file }, () => [
    `logged in at ${url}, namespace ${namespace}, as the ${principal.kind} ${principal.name} (${roles}); kept in ${file}`,
  ]);
}

function logout(context: Context): void {
  const dropped = dropLogin(context.env);
  context.output.result({ dropped }, () => [
    dropped ? 'logged out; the token itself counts until it is revoked' : 'nobody was logged in',
  ]);
}
