import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterFile } from './clean-up.ts';
import { eventually } from './pace/fair-time.ts';
import { reapWithUs } from './reaper.ts';
import { testServers } from './test-servers.ts';

const PROGRAM = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync);

/** Whether the program is installed (Debian: `apt-get install nginx-light`). */
export const hasNginx = PROGRAM !== undefined;

/** Starts an nginx with this text in its `http` block. Resolves once it listens on the port. It is ended after the test file. */
export async function startNginx(http: string, port: number): Promise<void> {
  if (PROGRAM === undefined) throw new Error('nginx is not installed');
  const home = join(testServers().home, `nginx-${randomUUID()}`);
  mkdirSync(home);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home};`);
  const text = `daemon off; pid ${home}/pid; error_log ${home}/error.log; worker_processes 1;
    events {}
    http { access_log off; ${temporary.join(' ')} ${http} }`;
  const file = join(home, 'nginx.conf');
  writeFileSync(file, text);
  const child = spawn(PROGRAM, ['-c', file, '-e', `${home}/error.log`], { stdio: 'ignore', detached: true, cwd: '/' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  reapWithUs(child);
  afterFile(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  await eventually(() => listens(port));
}

function listens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
