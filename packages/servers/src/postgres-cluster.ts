import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { lastWords } from './command.ts';
import { type Account, runAs } from './postgres-account.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

export const SUPERUSER = 'escapement';

/**
 * Creates the cluster in `clusterDir` unless it is there. It is made beside and renamed, so that a
 * half-made one is never taken for a whole. Returns the superuser's password.
 */
export async function ensureCluster(clusterDir: string, binaries: PostgresBinaries, account: Account): Promise<string> {
  const passwordFile = `${clusterDir}.password`;
  const made = await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (made === undefined) return createCluster(clusterDir, passwordFile, { binaries, account });
  await checkVersion(clusterDir, made.trim(), { binaries, account });
  return readPassword(clusterDir);
}

/** The password that was drawn when the cluster was made. */
export async function readPassword(clusterDir: string): Promise<string> {
  const file = `${clusterDir}.password`;
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new EscapementError('postgres_password', `cannot read the password of ${clusterDir}: ${cause.message}`, {
      cause,
      fix: `bring the file back, or delete ${clusterDir} and its data`,
    });
  });
  return text.trim();
}

const FIRST_BUILTIN_LOCALE = 17;
const BUILTIN_LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const LIBC_LOCALE = ['--locale=C.UTF-8'];

interface Programs {
  binaries: PostgresBinaries;
  account: Account;
}

async function createCluster(clusterDir: string, passwordFile: string, programs: Programs): Promise<string> {
  const { binaries, account } = programs;
  const password = randomBytes(18).toString('base64url');
  const unfinished = `${clusterDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account.owner !== undefined)
    for (const path of [unfinished, passwordFile]) await chown(path, account.owner, account.owner);
  const result = await runAs(account, binaries.initdb, [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...((await versionOf(programs)) < FIRST_BUILTIN_LOCALE ? LIBC_LOCALE : BUILTIN_LOCALE),
    '--no-sync',
    '--no-instructions',
  ]);
  if (result.code !== 0)
    throw new EscapementError('postgres_initdb', `initdb failed in ${unfinished}: ${lastWords(result)}`);
  await rm(clusterDir, { recursive: true, force: true });
  await rename(unfinished, clusterDir);
  return password;
}

/** The major version of the programs. */
async function versionOf({ binaries, account }: Programs): Promise<number> {
  const { stdout } = await runAs(account, binaries.postgres, ['--version']);
  return Number(/\d+/.exec(stdout)?.[0]);
}

async function checkVersion(clusterDir: string, made: string, programs: Programs): Promise<void> {
  const installed = await versionOf(programs);
  if (Number.isNaN(installed) || installed === Number(made)) return;
  throw new EscapementError(
    'postgres_version',
    `${clusterDir} was made by Postgres ${made}; the one installed is ${installed}`,
    { fix: 'dump it with the old version and restore it, or delete the folder and its data' },
  );
}
