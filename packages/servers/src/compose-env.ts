import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

/** The passwords that docker-compose.yml wants: of Postgres' superuser, of who migrates, of a user for each program, of Redis. */
const PASSWORDS = [
  'POSTGRES_PASSWORD',
  'POSTGRES_OWNER_PASSWORD',
  'POSTGRES_SCHEDULER_PASSWORD',
  'POSTGRES_WORKER_PASSWORD',
  'POSTGRES_API_PASSWORD',
  'REDIS_PASSWORD',
];

/** Writes the file with new passwords, for its owner alone, unless it is there already. False: it is, and stays as it is. */
export async function writeComposeEnv(file: string): Promise<boolean> {
  const lines = PASSWORDS.map((name) => `${name}=${randomBytes(24).toString('hex')}\n`);
  try {
    // Also where a link stands in its place nothing is written through it.
    await writeFile(file, lines.join(''), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
