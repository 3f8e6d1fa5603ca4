import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@escapement/servers';
import pg from 'pg';
import { afterFile } from './clean-up.ts';
import { eventually } from './pace/fair-time.ts';
import { reapWithUs } from './reaper.ts';
import { testServers } from './test-servers.ts';

const PROGRAMS = ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl', 'pg_dump', 'pg_restore'] as const;

type Program = (typeof PROGRAMS)[number];

/** A cluster that runs. It is ended and deleted after the test file. */
export interface Cluster {
  readonly dir: string;
  /** Of its database `postgres`, as superuser, without a password. */
  readonly url: string;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** The Postgres that the system has installed, with the programs that back up and restore. */
export interface SystemPostgres {
  /** Carries out one of its programs; rejects with what it wrote where it fails. */
  run(program: Program, ...args: string[]): Promise<string>;
  /** A folder that it may write into and that does not exist yet. */
  folder(): string;
  /** Makes a cluster and starts it. */
  create(): Promise<Cluster>;
  /** Starts a cluster on a folder that is there. */
  start(dir: string): Promise<Cluster>;
}

/** Postgres refuses to run as root; 65534 is "nobody" on nearly every system. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Undefined where none is installed with all of these programs (Debian: `apt-get install postgresql`). */
export function systemPostgres(): SystemPostgres | undefined {
  const bin = findPrograms();
  if (bin === undefined) return undefined;
  const home = join(testServers().home, `system-${randomUUID()}`);
  mkdirSync(home);
  if (ACCOUNT.uid !== undefined) chownSync(home, ACCOUNT.uid, ACCOUNT.gid);
  afterFile(() => rmSync(home, { recursive: true, force: true }));

  const run: SystemPostgres['run'] = async (program, ...args) => {
    const { stdout } = await promisify(execFile)(join(bin, program), args, { cwd: '/', ...ACCOUNT });
    return stdout;
  };
  const folder = () => join(home, randomUUID());
  const start = (dir: string) => startCluster(join(bin, 'postgres'), dir);
  return {
    run,
    folder,
    start,
    async create() {
      const dir = folder();
      await run('initdb', '-D', dir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
      return await start(dir);
    },
  };
}

function findPrograms(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const folders = versions.map((version) => join('/usr/lib/postgresql', version, 'bin'));
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
}

async function startCluster(program: string, dir: string): Promise<Cluster> {
  const port = await freePort(0);
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const args = ['-D', dir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: '/', ...ACCOUNT });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const output = collect(child);
  reapWithUs(child);
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
  };
  afterFile(stop);
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Postgres ended: ${output()}`);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.end();
  });
  return { dir, url, stop };
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-2000);
  });
  return () => text;
}
