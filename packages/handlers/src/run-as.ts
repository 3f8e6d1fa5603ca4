import { readFile } from 'node:fs/promises';
import { EscapementError } from '@escapement/core';
import { type Account, type Accounts, findAccount, findGroup, isDirectory, ownAccount } from './account.ts';

/** Whom tasks belong to where a worker is root and nobody has said. */
const NOBODY: Account = { name: 'nobody', uid: 65_534, gid: 65_534, home: '/' };

export interface RunAsOptions {
  /** `user` or `user:group`, by name or number. Default: the worker's own user, or `nobody` if that is root. */
  runAs?: string | undefined;
  /** Shell tasks may name root. */
  allowRoot: boolean;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Whom the processes of tasks belong to. Throws `user_unknown`, `group_unknown`, `run_as_not_permitted` where the worker
 * is no root, and `capabilities_missing` where it is a root that may not become others.
 */
export async function accountsOf({ runAs, allowRoot, env }: RunAsOptions): Promise<Accounts> {
  const own = ownAccount(env);
  const tasks = runAs === undefined ? await defaultAccount(own) : await accountNamed(runAs);
  if (tasks.uid === own.uid) return { own, tasks: own, allowRoot: allowRoot || own.uid === 0 };
  if (own.uid !== 0)
    throw new EscapementError(
      'run_as_not_permitted',
      `this worker runs as "${own.name}" and cannot run tasks as "${runAs}"`,
      { fix: 'start the worker as root, or leave ESCAPEMENT_RUN_AS out' },
    );
  await checkCapabilities(tasks);
  const home = (await isDirectory(tasks.home)) ? tasks.home : '/';
  return { own, tasks: { ...tasks, home }, allowRoot };
}

async function defaultAccount(own: Account): Promise<Account> {
  if (own.uid !== 0) return own;
  return await findAccount(NOBODY.name).catch(() => NOBODY);
}

async function accountNamed(runAs: string): Promise<Account> {
  const [user = '', group] = runAs.split(':');
  const account = /^\d+$/.test(user) ? numbered(user) : await findAccount(user);
  return group === undefined ? account : { ...account, gid: await findGroup(group) };
}

/** A number need not have a line in passwd, as in a container. */
function numbered(id: string): Account {
  return { name: id, uid: Number(id), gid: Number(id), home: '/' };
}

/** Bits of capabilities(7). */
const NEEDED = { KILL: 5, SETGID: 6, SETUID: 7 };

async function checkCapabilities({ name }: Account): Promise<void> {
  const missing = missingCapabilities(await readFile('/proc/self/status', 'utf8').catch(() => ''));
  if (missing.length === 0) return;
  const names = missing.join(', ');
  throw new EscapementError('capabilities_missing', `this worker is root and cannot run tasks as "${name}"`, {
    fix: `give it the capabilities ${names} (cap_add in compose), or start it as "${name}" itself`,
  });
}

/** What a root lacks to become others, by its /proc/PID/status; nothing where that does not say. */
export function missingCapabilities(status: string): string[] {
  const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (held === undefined) return [];
  return Object.entries(NEEDED)
    .filter(([, bit]) => ((BigInt(`0x${held}`) >> BigInt(bit)) & 1n) === 0n)
    .map(([name]) => name);
}
