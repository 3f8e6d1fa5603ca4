import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EscapementError, systemReason } from '@escapement/core';
import { type Config, type Environment, loadConfig } from '@escapement/service/config';
import { z } from 'zod';

/** Written by a fleet for development for as long as its servers run. */
const DEV_FILE = join('.escapement', 'dev.json');

const devFile = z.object({ databaseUrl: z.string(), redisUrl: z.string(), egress: z.string().optional() });

/** So it is until the servers run. */
const startingFile = z.object({ pid: z.number(), databaseUrl: z.undefined() });

/** The configuration, with the servers of the folder's fleet where the environment names none. */
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

/** The environment, with the servers of the folder's fleet where it names none, as a process started by that would have it. */
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
  const text = textOf(file);
  if (text === undefined) return undefined;
  const said = jsonOf(text);
  const servers = devFile.safeParse(said).data;
  if (servers || startingFile.safeParse(said).success) return servers;
  throw badDevFile(file, 'it does not say which servers there are');
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw badDevFile(file, systemReason(error));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badDevFile(file: string, why: string): EscapementError {
  return new EscapementError('bad_dev_file', `${file} cannot be read: ${why}`, {
    fix: `delete it and start \`${devCommand(dirname(dirname(file)))}\` again, or set DATABASE_URL`,
  });
}

/** The command that runs a fleet for development in a folder: a clone of Escapement has one of its own. */
export function devCommand(folder: string): string {
  if (isClone(join(folder, 'package.json'))) return 'npm run dev';
  return dirname(folder) === folder ? 'npx escapement dev' : devCommand(dirname(folder));
}

function isClone(manifest: string): boolean {
  try {
    return clone.safeParse(JSON.parse(readFileSync(manifest, 'utf8'))).success;
  } catch {
    return false;
  }
}

const clone = z.object({ name: z.literal('escapement-workspace') });

/** Throws `no_database_named`. */
export function requireDatabaseUrl(config: CliConfig, cwd: string): string {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const dev = devCommand(cwd);
  throw new EscapementError(
    'no_database_named',
    `no database is named: DATABASE_URL is not set, and \`${dev}\` runs neither in ${cwd} nor above it`,
    { fix: `set DATABASE_URL=postgres://user:password@host/database, or start \`${dev}\`` },
  );
}
