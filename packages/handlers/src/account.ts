import { execFile } from 'node:child_process';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EscapementError } from '@escapement/core';
import { HELPER_ENV } from './helper-environment.ts';

const run = promisify(execFile);

/** An operating-system user, as far as a process needs one. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** Whom the processes of a worker's tasks belong to. */
export interface Accounts {
  /** The worker's own. */
  own: Account;
  /** That of code tasks, and of shell tasks that name nobody. */
  tasks: Account;
  /** Shell tasks may name root, or another user with id 0: such a task can read all that the worker can. */
  allowRoot: boolean;
}

/** How a program is started as some user: ids for `spawn`, or words to put before the program. */
export interface StartAs {
  account: Account;
  ids?: Ids;
  prefix: string[];
}

export interface Ids {
  uid: number;
  gid: number;
}

/** The worker's own account. A container may run under a uid that no passwd line knows. */
export function ownAccount(env: Readonly<Record<string, string | undefined>>): Account {
  try {
    const { username, uid, gid, homedir } = userInfo();
    return { name: username, uid, gid, home: homedir };
  } catch {
    const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
    return { name: env.USER ?? String(uid), uid, gid, home: env.HOME ?? '/' };
  }
}

/** Everything as the worker's own user, as on a laptop. */
export function sameAccount(own: Account): Accounts {
  return { own, tasks: own, allowRoot: own.uid === 0 };
}

/** What `spawn` is given so that a process belongs to the account; `spawn` then empties the list of further groups. */
export function idsOf(account: Account, own: Account): { ids?: Ids } {
  return account.uid === own.uid ? {} : { ids: { uid: account.uid, gid: account.gid } };
}

/**
 * How to start as `name`, or as the account of tasks. Throws `user_unknown`, `user_not_permitted` where the worker is
 * neither root nor that user, and `root_not_allowed`.
 */
export async function startAs(name: string | undefined, accounts: Accounts): Promise<StartAs> {
  const { own, tasks } = accounts;
  if (name === undefined || name === tasks.name) return { account: tasks, ...idsOf(tasks, own), prefix: [] };
  const account = await findAccount(name);
  if (own.uid !== 0 && account.uid === own.uid) return { account, prefix: [] };
  if (own.uid !== 0)
    throw new EscapementError('user_not_permitted', `this worker runs as "${own.name}" and cannot start as "${name}"`, {
      fix: 'run the worker as root, or send the task to a pool whose workers run as that user',
    });
  if (account.uid === 0 && !accounts.allowRoot) throw rootNotAllowed(name);
  if (account.uid === 0) return { account, prefix: [] };
  const groups = await groupsOf(name);
  // `spawn` with ids empties the list of further groups, but a user of cron has them (docker, adm, ...).
  if (groups.some((group) => group !== account.gid)) return { account, prefix: await setpriv(account) };
  return { account, ...idsOf(account, own), prefix: [] };
}

function rootNotAllowed(name: string): EscapementError {
  return new EscapementError('root_not_allowed', `this worker runs no task as "${name}"`, {
    fix: 'such a task can read all that the worker can: ESCAPEMENT_ALLOW_ROOT_TASKS=true on workers for trusted tasks',
  });
}

async function setpriv({ uid, gid, name }: Account): Promise<string[]> {
  // By its path: the task's own PATH need not lead to it.
  for (const program of ['/usr/bin/setpriv', '/bin/setpriv']) {
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return [program, `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--'];
  }
  throw new EscapementError('setpriv_missing', `"${name}" has further groups, and this worker has no setpriv`, {
    fix: 'install util-linux on the worker',
  });
}

/** The user of this name in the worker's system. Throws `user_unknown`. */
export async function findAccount(name: string): Promise<Account> {
  // Also keeps options out of the argument that getent and id get.
  const wellFormed = /^[A-Za-z0-9_][A-Za-z0-9_.@-]*\$?$/.test(name);
  const account = wellFormed ? parsePasswd(await linesOf('passwd', name), name) : undefined;
  if (account) return account;
  throw new EscapementError('user_unknown', `this worker's system has no user "${name}"`, {
    fix: 'create the user there, or send the task to a pool whose workers know it',
  });
}

/** The id of a group by its name or number. Throws `group_unknown`. */
export async function findGroup(name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const lines = /^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/.test(name) ? await linesOf('group', name) : '';
  const [, , gid] =
    lines
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':') ?? [];
  if (gid) return Number(gid);
  throw new EscapementError('group_unknown', `this worker's system has no group "${name}"`, { fix: 'create it there' });
}

/** getent also asks LDAP and the like; where it is missing there is only the file. */
async function linesOf(database: 'passwd' | 'group', name: string): Promise<string> {
  try {
    return (await run('getent', [database, name], { env: HELPER_ENV })).stdout;
  } catch {
    return readFile(`/etc/${database}`, 'utf8').catch(() => '');
  }
}

/** The line of `name` in passwd(5) format. */
export function parsePasswd(lines: string, name: string): Account | undefined {
  for (const line of lines.split('\n')) {
    const [user, , uid, gid, , home] = line.split(':');
    if (user === name && uid && gid) return { name, uid: Number(uid), gid: Number(gid), home: home || '/' };
  }
  return undefined;
}

async function groupsOf(name: string): Promise<number[]> {
  const { stdout } = await run('id', ['-G', name], { env: HELPER_ENV }).catch(() => ({ stdout: '' }));
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
}

export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
