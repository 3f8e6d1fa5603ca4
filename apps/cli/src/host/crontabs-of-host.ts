import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EscapementError } from '@escapement/core';

/** A crontab that the cron of a host reads. */
export interface HostCrontab {
  /** Where it can be read. */
  file: string;
  /** On the host itself. */
  path: string;
  /** The name under which it is imported: `HOST:PATH`. */
  source: string;
  system: boolean;
  /** Whose it is; undefined: its lines say it. */
  user?: string;
}

export interface HostCrontabs {
  crontabs: HostCrontab[];
  /** What is there and is not taken, and why. */
  left: LeftFile[];
  /** The anacrontab of the host, where it can be read; undefined: there is none. */
  anacrontab: string | undefined;
}

export interface LeftFile {
  path: string;
  why: string;
  /** cron may read it, and we could not. */
  unread: boolean;
}

export interface HostAsked {
  /** The folder that is `/` of the host. */
  root: string;
  /** What its crontabs are called by. */
  source: string;
}

/** Where crons keep the crontabs of users: of Debian, of SUSE, of cronie, of the BSDs. */
const SPOOLS = ['/var/spool/cron/crontabs', '/var/spool/cron/tabs', '/var/spool/cron', '/var/cron/tabs'];
const SYSTEM_FOLDER = '/etc/cron.d';

/** What editors and package managers leave behind; no cron reads it. */
const LEFT_BEHIND = /^#|~$|\.(?:rpm(?:save|orig|new)|dpkg-[a-z]+|ucf-[a-z]+|bak|swp)$/;

/**
 * The crontabs of a host, as its cron finds them: /etc/crontab, /etc/cron.d and those of users. By the rules of cron(8) of Debian (names in
 * /etc/cron.d; files that others could write) and of cronie. Throws `no_crontabs`.
 */
export async function crontabsOfHost(asked: HostAsked): Promise<HostCrontabs> {
  const search = new Search(asked);
  await search.takeSystem('/etc/crontab');
  await search.noteAnacrontab('/etc/anacrontab');
  for (const name of await search.namesIn(SYSTEM_FOLDER)) await search.takeOfFolder(name);
  for (const folder of SPOOLS) for (const name of await search.namesIn(folder)) await search.takeOfUser(folder, name);
  if (search.crontabs.length === 0 && search.left.length === 0)
    throw new EscapementError('no_crontabs', `no crontab is below ${asked.root}`, {
      fix: `looked for: /etc/crontab, ${SYSTEM_FOLDER}, ${SPOOLS.join(', ')}; --root names another folder that is / of the host`,
    });
  return search;
}

/** A host has the program; its anacrontab stays where that was removed. */
export async function hasAnacron(root: string): Promise<boolean> {
  return (await stat(join(root, '/usr/sbin/anacron')).catch(() => undefined)) !== undefined;
}

class Search implements HostCrontabs {
  readonly crontabs: HostCrontab[] = [];
  readonly left: HostCrontabs['left'] = [];
  anacrontab: string | undefined;
  private readonly asked: HostAsked;
  private users: ReadonlySet<string> | undefined;

  constructor(asked: HostAsked) {
    this.asked = asked;
  }

  async takeSystem(path: string): Promise<void> {
    const why = await this.whyNotRead(path);
    if (why === 'absent') return;
    if (why === undefined) this.take({ path, system: true });
    else this.left.push({ path, ...why });
  }

  async noteAnacrontab(path: string): Promise<void> {
    const file = this.placeOf(path);
    if ((await stat(file).catch(() => undefined))?.isFile()) this.anacrontab = file;
  }

  async takeOfFolder(name: string): Promise<void> {
    const path = `${SYSTEM_FOLDER}/${name}`;
    const odd = LEFT_BEHIND.test(name) || ((await this.isDebian()) && !/^[A-Za-z0-9_-]+$/.test(name));
    if (odd) this.left.push({ path, why: 'cron reads no file of such a name', unread: false });
    else await this.takeSystem(path);
  }

  async takeOfUser(folder: string, name: string): Promise<void> {
    const path = `${folder}/${name}`;
    const found = await stat(this.placeOf(path)).catch(() => undefined);
    if (!found?.isFile() || LEFT_BEHIND.test(name)) return;
    if (await this.isUser(name)) this.take({ path, system: false, user: name });
    else this.left.push({ path, why: `the host has no user ${name}: cron does not run it`, unread: false });
  }

  /** What begins with a dot is no crontab. A folder that is not there has none. */
  async namesIn(folder: string): Promise<string[]> {
    try {
      const names = await readdir(this.placeOf(folder));
      return names.filter((name) => !name.startsWith('.')).sort();
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR')
        this.left.push({ path: folder, why: `it cannot be read: ${code}; give the command as root`, unread: true });
      return [];
    }
  }

  private take(crontab: Omit<HostCrontab, 'file' | 'source'>): void {
    const { path } = crontab;
    this.crontabs.push({ ...crontab, file: this.placeOf(path), source: `${this.asked.source}:${path}` });
  }

  private placeOf(path: string): string {
    return join(this.asked.root, path);
  }

  /** cron reads no system crontab that somebody else than root could have written. */
  private async whyNotRead(path: string): Promise<Omit<LeftFile, 'path'> | 'absent' | undefined> {
    try {
      const [{ uid }, found] = await Promise.all([stat(this.asked.root), stat(this.placeOf(path))]);
      if (!found.isFile()) return { why: 'it is no file', unread: false };
      if (found.uid === uid && (found.mode & 0o022) === 0) return undefined;
      return { why: 'others than root could write to it: cron does not read it', unread: false };
    } catch (error) {
      return codeOf(error) === 'ENOENT' ? 'absent' : { why: `it cannot be read: ${codeOf(error)}`, unread: true };
    }
  }

  private async isDebian(): Promise<boolean> {
    return await stat(this.placeOf('/etc/debian_version')).then(
      () => true,
      () => false,
    );
  }

  /** By its own list; of this very host also by its directory service. */
  private async isUser(name: string): Promise<boolean> {
    this.users ??= await usersIn(this.placeOf('/etc/passwd'));
    if (this.users.has(name)) return true;
    return this.asked.root === '/' && (await isKnownHere(name));
  }
}

async function usersIn(file: string): Promise<ReadonlySet<string>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return new Set(text.split('\n').map((line) => line.split(':')[0] ?? ''));
}

async function isKnownHere(name: string): Promise<boolean> {
  return await promisify(execFile)('id', ['-u', '--', name]).then(
    () => true,
    () => false,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
