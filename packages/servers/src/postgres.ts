import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EscapementError } from '@escapement/core';
import pg from 'pg';
import { type EmbeddedOptions, type EmbeddedServer, embeddedServer, sharedServer } from './embedded.ts';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guard.ts';
import { clearLeftover, recordOwner } from './leftover.ts';
import { type Account, postgresAccount } from './postgres-account.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, readPassword, SUPERUSER } from './postgres-cluster.ts';
import { commandLine, end } from './process-info.ts';

/** Patience with a server that recovers after a crash. */
const READY_TIMEOUT_MS = 60_000;
/** Sessions of a killed server end when they notice; one in a long statement notices late. */
const LAST_CHILDREN_MS = 10_000;
const DATABASE = 'escapement';

/** For data that nobody needs after the run: no waiting for the disk. The odd time zone is to show who relies on it. */
const EPHEMERAL = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'timezone=Asia/Kolkata'];

/** Starts Postgres on a folder. Throws an EscapementError with the end of the server's log when it does not start. */
export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dir } = options;
  const note = `${dir}.json`;
  const binaries = await findPostgresBinaries();
  const leftover = await clearLeftover(note, 'SIGINT', (line) => servesFolder(line, dir));
  if (leftover) {
    return sharedServer(urlOf(leftover.port, await readPassword(dir)), leftover);
  }
  const account = await postgresAccount(dir, binaries.initdb);
  const password = await ensureCluster(dir, binaries, account);
  await clearPidFile(dir);
  const { server, port } = await startOnFreePort(options, binaries.postgres, account, password);
  await recordOwner(note, server, port);
  return embeddedServer(urlOf(port, password), port, server, note);
}

function urlOf(port: number, password: string, database = DATABASE): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * A port can be taken between our look and the server's: then try another. And after a crash the old
 * server's children may live on for a moment, and hold the folder.
 */
async function startOnFreePort(options: EmbeddedOptions, program: string, account: Account, password: string) {
  const patience = performance.now() + LAST_CHILDREN_MS;
  let preferred = options.port;
  for (let taken = 0; ; ) {
    const port = await freePort(preferred);
    const server = await launch(options, program, account, port);
    if (await becomesReady(server, urlOf(port, password, 'postgres'))) return { server, port };
    const output = (await server.output()).trim().split('\n').slice(-8).join('\n');
    await server.stop();
    const held = output.includes('pre-existing shared memory block') && performance.now() < patience;
    if (held) {
      await delay(100);
      continue;
    }
    if (output.includes('could not bind') && taken++ < 3) {
      preferred = 0;
      continue;
    }
    throw new EscapementError('postgres_start', `Postgres did not start on ${options.dir}:\n${output}`, {
      fix: 'see the end of its log above; deleting the folder starts anew, without its data',
    });
  }
}

function launch(options: EmbeddedOptions, program: string, account: Account, port: number): Promise<GuardedProcess> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(options.ephemeral ? EPHEMERAL : ['timezone=UTC']),
    ...(options.settings ?? []),
  ];
  const args = ['-D', options.dir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  return startGuarded({
    command,
    args: rest,
    uid: account.uid,
    gid: account.gid,
    stopSignal: options.removeDir === undefined ? 'SIGINT' : 'SIGQUIT',
    logFile: `${options.dir}.log`,
    removeDir: options.removeDir,
  });
}

/** Waits until the server answers, and makes our database. False when the server has ended instead. */
async function becomesReady(server: GuardedProcess, adminUrl: string): Promise<boolean> {
  const end = performance.now() + READY_TIMEOUT_MS;
  while (server.running() && performance.now() < end) {
    const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
      if (!rowCount) await client.query(`CREATE DATABASE ${DATABASE}`);
      return true;
    } catch {
      await delay(20);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  return false;
}

/**
 * Postgres refuses to start while its pid file names a living process, even when that id went to
 * somebody else after a crash; and a server of ours whose owner's note got lost would keep the folder.
 */
async function clearPidFile(dir: string): Promise<void> {
  const file = join(dir, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (!(pid > 0)) return;
  if (servesFolder(await commandLine(pid), dir)) await end(pid, 'SIGINT');
  await rm(file, { force: true });
}

/** Not just any process that has the folder in its arguments: an editor may have our log open. */
function servesFolder(line: string, dir: string): boolean {
  return line.includes(` -D ${dir} `);
}
