import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EscapementError } from '@escapement/core';
import { type CommandResult, lastWords, run } from './command.ts';

/** As whom Postgres runs, and the words to put before its command line. */
export interface Account {
  /** To whom its files belong; undefined = to us. */
  owner: number | undefined;
  /** User and group to start it with; undefined = ours (`prefix` may then change them). */
  uid: number | undefined;
  gid: number | undefined;
  prefix: string[];
}

/** Postgres refuses to run as root. 65534 is "nobody" on nearly every system. */
const NOBODY = 65534;

/**
 * The account for a data folder: ourselves, or, when we are root, the folder's owner or nobody.
 * Below a folder that nobody may not enter (/root has mode 700) the server gets, by `setpriv`, the
 * capability to enter it all the same: neither binaries nor data have to move.
 */
export async function postgresAccount(dataDir: string, initdb: string): Promise<Account> {
  const owner = await ownerOf(dataDir);
  const self = process.getuid?.();
  if (self !== 0) {
    if (owner !== undefined && self !== undefined && owner !== self) throw foreignFolder(dataDir, owner);
    return { owner: undefined, uid: undefined, gid: undefined, prefix: [] };
  }
  const uid = owner === undefined || owner === 0 ? NOBODY : owner;
  const plain = { owner: uid, uid, gid: uid, prefix: [] };
  if ((await everyoneMayEnter(dirname(dataDir))) && (await works(plain, initdb))) return plain;
  const capable = { owner: uid, uid: undefined, gid: undefined, prefix: setpriv(uid) };
  const failure = await whyNot(capable, initdb);
  if (failure === undefined) return capable;
  throw new EscapementError(
    'postgres_account',
    `Postgres cannot run as root, and user ${uid} cannot reach ${dataDir}`,
    {
      cause: failure,
      fix: 'work in a folder that every user may enter (chmod o+x on its parents), or not as root, or set DATABASE_URL',
    },
  );
}

function setpriv(uid: number): string[] {
  const capabilities = '+dac_override,+dac_read_search';
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    // Without this the kernel leaves capabilities out when a program asks what it may access, as initdb does.
    '--securebits=+no_setuid_fixup',
  ];
}

async function works(account: Account, initdb: string): Promise<boolean> {
  return (await whyNot(account, initdb)) === undefined;
}

/** Runs a program as that account. */
export function runAs(account: Account, program: string, args: string[]): Promise<CommandResult> {
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  return run(command, rest, { cwd: '/', uid: account.uid, gid: account.gid });
}

/** `initdb --show` looks for its programs and at who runs it, and changes nothing. */
async function whyNot(account: Account, initdb: string): Promise<string | undefined> {
  const result = await runAs(account, initdb, ['--show', '--pgdata=/nowhere']);
  return result.code === 0 ? undefined : lastWords(result);
}

async function everyoneMayEnter(folder: string): Promise<boolean> {
  for (let current = folder; ; current = dirname(current)) {
    const { mode } = await stat(current);
    if ((mode & 0o001) === 0) return false;
    if (current === dirname(current)) return true;
  }
}

async function ownerOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

function foreignFolder(dataDir: string, owner: number): EscapementError {
  return new EscapementError('postgres_folder_owner', `${dataDir} belongs to user ${owner}`, {
    fix: `an earlier run was made by another user (root, perhaps): run as that user, or delete the folder and its data`,
  });
}
