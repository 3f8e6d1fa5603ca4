import { EscapementError } from '@escapement/core';
import { lastWords, run } from './command.ts';
import { installRedis } from './redis-install.ts';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** Commands by the tool that a system has, to tell a user what to type. */
const ADVICE: [tool: string, command: string][] = [
  ['brew', 'brew install redis'],
  ['apt-get', 'sudo apt-get install -y redis-server && sudo systemctl disable --now redis-server'],
  ['dnf', 'sudo dnf install -y valkey'],
  ['apk', 'sudo apk add valkey'],
  ['pacman', 'sudo pacman -S --needed valkey'],
  ['zypper', 'sudo zypper install -y valkey'],
];

/**
 * The Redis or Valkey server on the PATH. Where there is none, root on a Debian-like system gets the
 * distribution's package; everybody else an EscapementError with the command to type.
 */
export async function findRedis(log: (line: string) => void): Promise<string> {
  const found = await onPath();
  if (found) return found;
  let why = 'there is no redis-server or valkey-server on the PATH';
  if (process.getuid?.() === 0 && (await exists('apt-get'))) {
    log('Redis: no redis-server on the PATH; installing the package redis-server with apt-get (its service stays off)');
    const result = await installRedis();
    const installed = await onPath();
    if (installed) return installed;
    why += `, and apt-get could not install one: ${lastWords(result)}`;
  }
  throw new EscapementError('no_redis', why, { fix: `${await advice()}; or set REDIS_URL` });
}

async function onPath(): Promise<string | undefined> {
  for (const program of PROGRAMS) if (await exists(program)) return program;
  return undefined;
}

async function exists(program: string): Promise<boolean> {
  return (await run(program, ['--version'], { timeoutMs: 5_000 })).code === 0;
}

async function advice(): Promise<string> {
  for (const [tool, command] of ADVICE) if (await exists(tool)) return `run: ${command}`;
  return 'install Redis 7 or Valkey 8 (https://redis.io/docs/latest/operate/oss_and_stack/install/)';
}
