import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { type Config, type Environment, loadConfig } from '@escapement/service/config';
import { z } from 'zod';

/** Written by `npm run dev` for as long as its servers run. */
const DEV_FILE = join('.escapement', 'dev.json');

const devFile = z.object({ databaseUrl: z.string(), redisUrl: z.string(), egress: z.string().optional() });

/** The configuration, with the servers of `npm run dev` where the environment names none. */
export interface CliConfig extends Config<'cli'> {
  /** Where the addresses come from, for messages. */
  from: string;
}

/** Reads the environment, then `.escapement/dev.json` of the nearest folder upwards. Throws `bad_configuration`. */
export function readConfig(env: Environment, cwd: string): CliConfig {
  const config = loadConfig(env, 'cli');
  if (config.databaseUrl !== undefined) return { ...config, from: 'DATABASE_URL' };
  const dev = findDevFile(cwd);
  if (!dev) return { ...config, from: 'the environment' };
  return { ...loadConfig(withDev(env, dev.servers), 'cli'), from: dev.file };
}

/** The environment, with the servers of `npm run dev` where it names none, as a process started by that would have it. */
export function environmentOf(env: Environment, cwd: string): { env: Environment; devFile?: string } {
  const dev = loadConfig(env, 'cli').databaseUrl === undefined ? findDevFile(cwd) : undefined;
  if (!dev) return { env };
  return { env: withDev(env, dev.servers), devFile: dev.file };
}

function withDev(env: Environment, { databaseUrl, redisUrl, egress }: z.output<typeof devFile>): Environment {
  // An empty value counts as absent.
  const given = Object.entries(env).filter(([, value]) => value?.trim());
  return { REDIS_URL: redisUrl, ESCAPEMENT_EGRESS: egress, ...Object.fromEntries(given), DATABASE_URL: databaseUrl };
}

function findDevFile(cwd: string): { file: string; servers: z.output<typeof devFile> } | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, DEV_FILE);
    const servers = readDevFile(file);
    if (servers) return { file, servers };
    if (dirname(folder) === folder) return undefined;
  }
}

function readDevFile(file: string): z.output<typeof devFile> | undefined {
  try {
    return devFile.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

export function requireDatabaseUrl(config: CliConfig): string {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  throw new EscapementError(
    'no_database_named',
    'no database is named: DATABASE_URL is not set, and no fleet of `escapement dev` or npm run dev was found',
    {
      fix: 'set DATABASE_URL=postgres://user:password@host/database, or start one of these in this folder or one above',
    },
  );
}
