import { dirname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { z } from 'zod';
import { type CommandResult, lastWords, run } from './command.ts';
import { writeComposeEnv } from './compose-env.ts';

export type ServerName = 'postgres' | 'redis';

const PORTS: Record<ServerName, number> = { postgres: 5432, redis: 6379 };
/** Images may have to be pulled. */
const UP_TIMEOUT_MS = 5 * 60_000;

const composeConfig = z.object({
  services: z.object({
    postgres: z.object({
      // That of a project has one user for all.
      environment: z.union([
        z
          .object({ POSTGRES_OWNER: z.string(), POSTGRES_OWNER_PASSWORD: z.string(), POSTGRES_DB: z.string() })
          .transform((of) => ({
            user: of.POSTGRES_OWNER,
            password: of.POSTGRES_OWNER_PASSWORD,
            database: of.POSTGRES_DB,
          })),
        z
          .object({ POSTGRES_USER: z.string(), POSTGRES_PASSWORD: z.string(), POSTGRES_DB: z.string() })
          .transform((of) => ({ user: of.POSTGRES_USER, password: of.POSTGRES_PASSWORD, database: of.POSTGRES_DB })),
      ]),
    }),
    redis: z.object({ environment: z.object({ REDIS_PASSWORD: z.string() }) }),
  }),
});

/** Of deploy/compose/redis.sh. */
const REDIS_USER = 'escapement';

/** Whether a Docker engine answers and has the compose plugin. */
export async function dockerAnswers(): Promise<boolean> {
  const engine = await run('docker', ['info', '--format', '{{.ServerVersion}}'], { timeoutMs: 3_000 });
  if (engine.code !== 0 || engine.stdout.trim() === '') return false;
  return (await run('docker', ['compose', 'version'], { timeoutMs: 3_000 })).code === 0;
}

export interface ComposeServices {
  /** Where each service can be reached from this machine. */
  urls: { name: ServerName; url: string }[];
  /** Stops the services that were not running before. */
  stop(): Promise<void>;
}

/** Starts services of a compose file and waits until they are healthy. Throws an EscapementError when Docker refuses. */
export async function composeUp(file: string, services: ServerName[]): Promise<ComposeServices> {
  await writeComposeEnv(join(dirname(file), '.env'));
  const before = (await compose(file, 'ps', '--services', '--status', 'running')).stdout.split('\n');
  const started = services.filter((service) => !before.includes(service));
  must(await compose(file, 'up', '-d', '--wait', ...services), 'docker compose up');
  const urls = await Promise.all(services.map(async (name) => ({ name, url: await urlOf(file, name) })));
  const stop = async () => {
    if (started.length > 0) await compose(file, 'stop', '--timeout', '4', ...started);
  };
  return { urls, stop };
}

async function urlOf(file: string, service: ServerName): Promise<string> {
  const bound = must(await compose(file, 'port', service, String(PORTS[service])), 'docker compose port').stdout.trim();
  const address = bound.split('\n')[0]?.replace(/^(0\.0\.0\.0|\[::\]|::)(?=:\d+$)/, '127.0.0.1');
  if (!address)
    throw new EscapementError('compose_port', `the compose service ${service} publishes no port ${PORTS[service]}`, {
      fix: `give it "ports" in ${file}`,
    });
  const { postgres, redis } = await credentials(file);
  if (service === 'redis') return `redis://${REDIS_USER}:${encodeURIComponent(redis.REDIS_PASSWORD)}@${address}/0`;
  const { user, password, database } = postgres;
  return `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${address}/${database}`;
}

async function credentials(file: string) {
  const { stdout } = must(await compose(file, 'config', '--format', 'json'), 'docker compose config');
  const { postgres, redis } = composeConfig.parse(JSON.parse(stdout)).services;
  return { postgres: postgres.environment, redis: redis.environment };
}

function compose(file: string, ...args: string[]): Promise<CommandResult> {
  return run('docker', ['compose', '-f', file, ...args], { cwd: dirname(file), timeoutMs: UP_TIMEOUT_MS });
}

function must(result: CommandResult, what: string): CommandResult {
  if (result.code === 0) return result;
  throw new EscapementError('compose_failed', `${what} failed: ${lastWords(result)}`);
}
