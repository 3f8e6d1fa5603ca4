import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EscapementError, MINUTE } from '@escapement/core';
import { type GuardedProcess, WATCHDOG_MARK } from './guard.ts';
import { commandLine, end, gone, isAlive } from './process-info.ts';

const LOCK_WAIT_MS = MINUTE;

/** Who runs the server of a data folder; kept beside the folder while it runs. */
export interface Owner {
  ownerPid: number;
  watchdogPid: number;
  serverPid: number;
  port: number;
}

export async function recordOwner(file: string, server: GuardedProcess, port: number): Promise<void> {
  const owner: Owner = { ownerPid: process.pid, watchdogPid: server.watchdogPid, serverPid: server.pid, port };
  await writeFile(file, JSON.stringify(owner));
}

export async function forgetOwner(file: string): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Looks after what an earlier run left: a server whose owner lives is returned, to be shared; one
 * whose owner is dead is ended. `isOurs` judges by the command line, since process ids are recycled.
 */
export async function clearLeftover(
  file: string,
  stopSignal: NodeJS.Signals,
  isOurs: (commandLine: string, owner: Owner) => boolean,
): Promise<Owner | undefined> {
  const owner = await readOwner(file);
  if (!owner) return undefined;
  if (!isOurs(await commandLine(owner.serverPid), owner)) {
    await forgetOwner(file);
    return undefined;
  }
  const watched = (await commandLine(owner.watchdogPid)).includes(WATCHDOG_MARK);
  if (watched && isAlive(owner.ownerPid)) return owner;
  const endsByItself = watched && (await gone(owner.serverPid, 6_000));
  if (!endsByItself) await end(owner.serverPid, stopSignal);
  await forgetOwner(file);
  return undefined;
}

async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` while no other process does the same in that folder, so that two that start at once do
 * not both create a cluster. The lock of a process that died counts for nothing.
 */
export async function alone<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + LOCK_WAIT_MS;
  while (!(await takeLock(lockFile))) {
    if (performance.now() > end)
      throw new EscapementError(
        'servers_locked',
        `another process has been starting servers for a minute: ${lockFile}`,
        {
          fix: 'if there is none, delete that file',
        },
      );
    await delay(50);
  }
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function takeLock(lockFile: string): Promise<boolean> {
  try {
    await writeFile(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS') throw notWritable(lockFile, error);
    if (code !== 'EEXIST') throw error;
  }
  const holder = Number(await readFile(lockFile, 'utf8').catch(() => '0'));
  if (holder > 0 && !isAlive(holder)) await rm(lockFile, { force: true });
  return false;
}

function notWritable(lockFile: string, cause: unknown): EscapementError {
  return new EscapementError('data_folder', `this user may not write to ${dirname(lockFile)}`, {
    cause,
    fix: 'an earlier run was made by another user (root, perhaps): run as that user, or delete the folder and its data',
  });
}
