import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EscapementError } from '@escapement/core';

const run = promisify(execFile);

/** An operating-system user, as far as a process needs one. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** How a program is started as some user: ids for `spawn`, or words to put before the program. */
export interface StartAs {
  account: Account;
  ids?: { uid: number; gid: number };
  prefix: string[];
}

/** The worker's own account. A container may run under a uid that no passwd line knows. */
export function ownAccount(workerEnv: Readonly<Record<string, string | undefined>>): Account {
  try {
    const { username, uid, gid, homedir } = userInfo();
    return { name: username, uid, gid, home: homedir };
  } catch {
    const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
    return { name: workerEnv.USER ?? String(uid), uid, gid, home: workerEnv.HOME ?? '/' };
  }
}

/**
 * How to start as `name`. Throws `user_unknown`, and `user_not_permitted` where the worker is
 * neither root nor that user.
 */
export async function startAs(name: string | undefined, own: Account): Promise<StartAs> {
  if (name === undefined || name === own.name) return { account: own, prefix: [] };
  const account = await findAccount(name);
  if (account.uid === own.uid) return { account, prefix: [] };
  if (own.uid !== 0)
    throw new EscapementError('user_not_permitted', `this worker runs as "${own.name}" and cannot start as "${name}"`, {
      fix: 'run the worker as root, or send the task to a pool whose workers run as that user',
    });
  const groups = await groupsOf(name);
  // `spawn` with ids empties the list of further groups, but a user of cron has them (docker, adm, ...).
  if (groups.some((group) => group !== account.gid)) return { account, prefix: await setpriv(account) };
  return { account, ids: { uid: account.uid, gid: account.gid }, prefix: [] };
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

async function findAccount(name: string): Promise<Account> {
  // Also keeps options out of the argument that getent and id get.
  const wellFormed = /^[A-Za-z0-9_][A-Za-z0-9_.@-]*\$?$/.test(name);
  const account = wellFormed ? parsePasswd(await passwdLines(name), name) : undefined;
  if (account) return account;
  throw new EscapementError('user_unknown', `this worker's system has no user "${name}"`, {
    fix: 'create the user there, or send the task to a pool whose workers know it',
  });
}

/** getent also asks LDAP and the like; where it is missing there is only the file. */
async function passwdLines(name: string): Promise<string> {
  try {
    return (await run('getent', ['passwd', name])).stdout;
  } catch {
    return readFile('/etc/passwd', 'utf8').catch(() => '');
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
  const { stdout } = await run('id', ['-G', name]).catch(() => ({ stdout: '' }));
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
}
