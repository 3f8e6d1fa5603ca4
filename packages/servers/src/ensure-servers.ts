import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EscapementError } from '@escapement/core';
import { composeUp, dockerAnswers, type ServerName } from './compose.ts';
import type { EmbeddedOptions, EmbeddedServer } from './embedded.ts';
import { type KeptServer, keepRunning } from './keep-running.ts';
import { alone } from './leftover.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { findRedis } from './redis-binary.ts';

const NAMES: readonly ServerName[] = ['postgres', 'redis'];
const TITLES: Record<ServerName, string> = { postgres: 'Postgres', redis: 'Redis' };

/** Of servers for development, where nobody else has them: beside the standard ones, which a system's own servers have. */
export const PREFERRED_PORTS: Record<ServerName, number> = { postgres: 54329, redis: 63790 };

export interface ServersOptions {
  /** Where embedded servers keep their data, made when missing. Not used when `ephemeral`. */
  dataDir: string;
  /** Told in a line each which servers were taken, and what is done on the way. */
  log: (line: string) => void;
  /** Taken as it is when given and not empty. Default: find or start one. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /** Whether Docker compose may be used. Default true. */
  compose?: boolean;
  /** Default `docker-compose.yml` in the working directory; none there = no compose. */
  composeFile?: string;
  /** Embedded servers without durability, on any free port, their data deleted when they end. Default false. */
  ephemeral?: boolean;
  /**
   * Embedded servers that end, killed or not, are started again on their data, and `log` is told. Called with one that ends
   * more than five times a minute, or does not start: it is given up. Default: they stay away.
   */
  onGivenUp?: (error: EscapementError) => void;
  /** Told each time one of them answers again. */
  onBack?: () => void;
}

/** Where a server came from; `shared` = embedded, but started by another process that runs now. */
export type Source = 'url' | 'compose' | 'embedded' | 'shared';

export interface Servers {
  databaseUrl: string;
  redisUrl: string;
  how: Record<ServerName, Source>;
  /** Ends what this call started (embedded servers, compose services that did not run before), nothing else. */
  stop(): Promise<void>;
}

interface Found {
  url: string;
  how: Source;
  stop?: () => Promise<void>;
}

type FoundServers = Map<ServerName, Found>;

/**
 * Finds Postgres and Redis, each in this order: the URL given; the compose file's service if a Docker
 * engine answers; else embedded. Embedded servers end with this process, however it ends.
 * Throws an EscapementError when one cannot be had, with what to do about it.
 */
export async function ensureServers(options: ServersOptions): Promise<Servers> {
  const found: FoundServers = new Map();
  if (options.databaseUrl) found.set('postgres', { url: options.databaseUrl, how: 'url' });
  if (options.redisUrl) found.set('redis', { url: options.redisUrl, how: 'url' });
  try {
    await addCompose(found, options);
    await addEmbedded(found, options);
  } catch (error) {
    await stopAll(found);
    throw error;
  }
  const [postgres, redis] = [must(found, 'postgres'), must(found, 'redis')];
  for (const name of NAMES) options.log(describe(name, must(found, name)));
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    how: { postgres: postgres.how, redis: redis.how },
    stop: () => stopAll(found),
  };
}

async function addCompose(found: FoundServers, options: ServersOptions): Promise<void> {
  const { compose = true, composeFile = 'docker-compose.yml', ephemeral = false, log } = options;
  const names = missing(found);
  if (!compose || ephemeral || names.length === 0 || !existsSync(composeFile) || !(await dockerAnswers())) return;
  log(`starting ${names.join(' and ')} with docker compose`);
  try {
    const services = await composeUp(resolve(composeFile), names);
    // `docker compose stop` is for all the services of the call: hang it on one of them.
    for (const [index, { name, url }] of services.urls.entries())
      found.set(name, { url, how: 'compose', ...(index === 0 ? { stop: services.stop } : {}) });
  } catch (error) {
    log(`${error instanceof Error ? error.message : error}; taking embedded servers instead`);
  }
}

async function addEmbedded(found: FoundServers, options: ServersOptions): Promise<void> {
  const names = missing(found);
  if (names.length === 0) return;
  const redisProgram = names.includes('redis') ? await findRedis(options.log) : '';
  const start = async (name: ServerName): Promise<void> => {
    const at = options.ephemeral ? await ephemeralPlace(name) : durablePlace(name, options);
    try {
      const startAt = (port: number) =>
        name === 'postgres' ? startPostgres({ ...at, port }) : startRedis(redisProgram, { ...at, port });
      const server = await startAt(at.port);
      const kept = {
        title: TITLES[name],
        logFile: `${at.dir}.log`,
        start: startAt,
        log: options.log,
        onBack: options.onBack,
      };
      const stop = stopOf(server, { ...kept, giveUp: options.onGivenUp });
      found.set(name, { url: server.url, how: server.shared ? 'shared' : 'embedded', stop });
    } catch (error) {
      if (at.removeDir) await rm(at.removeDir, { recursive: true, force: true });
      throw error;
    }
  };
  const startAll = async () => {
    const results = await Promise.allSettled(names.map(start));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
  if (options.ephemeral) return startAll();
  await mkdir(options.dataDir, { recursive: true });
  await alone(join(resolve(options.dataDir), 'servers.lock'), startAll);
}

/** Keeps a server running where it is ours to start and somebody hears of it. */
function stopOf(
  server: EmbeddedServer,
  { giveUp, ...kept }: Omit<KeptServer, 'giveUp'> & { giveUp: KeptServer['giveUp'] | undefined },
) {
  return giveUp === undefined || server.shared ? server.stop : keepRunning(server, { ...kept, giveUp });
}

function durablePlace(name: ServerName, { dataDir }: ServersOptions): EmbeddedOptions {
  return { dir: join(resolve(dataDir), name), port: PREFERRED_PORTS[name] };
}

async function ephemeralPlace(name: ServerName): Promise<EmbeddedOptions> {
  const removeDir = await mkdtemp(join(tmpdir(), `escapement-${name}-`));
  // Postgres may run as another user, who has to enter it.
  await chmod(removeDir, 0o711);
  return { dir: join(removeDir, name), port: 0, ephemeral: true, removeDir };
}

function missing(found: FoundServers): ServerName[] {
  return NAMES.filter((name) => !found.has(name));
}

function must(found: FoundServers, name: ServerName): Found {
  const server = found.get(name);
  if (!server) throw new Error(`${TITLES[name]} was neither found nor started`);
  return server;
}

async function stopAll(found: FoundServers): Promise<void> {
  await Promise.all([...found.values()].map((server) => server.stop?.()));
}

const HOW: Record<Source, string> = {
  url: 'as configured',
  compose: 'docker compose',
  embedded: 'embedded',
  shared: 'embedded, belongs to another process that runs now and ends with it',
};

function describe(name: ServerName, { url, how }: Found): string {
  const shown = new URL(url);
  shown.password = '';
  return `${TITLES[name]}: ${HOW[how]}, ${shown}`;
}
