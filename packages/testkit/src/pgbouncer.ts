import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@escapement/servers';
import pg from 'pg';
import { afterFile } from './clean-up.ts';
import { eventually } from './pace/fair-time.ts';
import { reapWithUs } from './reaper.ts';
import { testServers } from './test-servers.ts';

export interface PgBouncerOptions {
  poolMode: 'session' | 'transaction';
  /** More lines of its configuration. */
  settings?: string[];
}

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);

/** Whether the program is installed (Debian: `apt-get install pgbouncer`). */
export const hasPgBouncer = PROGRAM !== undefined;

/**
 * Starts a PgBouncer before the server of a database, configured as its package comes, but for the mode. Returns the database's
 * URL through it. It is ended after the test file.
 */
export async function pgBouncer(databaseUrl: string, { poolMode, settings = [] }: PgBouncerOptions): Promise<string> {
  if (PROGRAM === undefined) throw new Error('pgbouncer is not installed');
  const port = await freePort(0);
  const file = join(testServers().home, `pgbouncer-${randomUUID()}.ini`);
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const server = `host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`;
  const lines = [
    '[databases]',
    `* = ${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${poolMode}`,
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(PROGRAM, [file], { stdio: 'ignore', detached: true, cwd: '/', ...account });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  reapWithUs(child);
  afterFile(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(file, { force: true });
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  await eventually(async () => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.end();
  });
  return url.href;
}
