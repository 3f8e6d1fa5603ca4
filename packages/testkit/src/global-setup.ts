import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, startPostgres, startRedis } from '@escapement/servers';
import { migrate } from '@escapement/store';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { build } from './build.ts';
import { makeDatabaseUsers } from './database-users.ts';
import { memoryFolder } from './memory-folder.ts';
import type { TestServers } from './test-servers.ts';

const TEMPLATE = 'escapement_template';

/**
 * Vitest's global set-up of tests with servers: what they start as processes is built, servers of the run's own are started on
 * free ports, and a migrated database to clone. Their watchdogs end them and delete their data even when vitest is killed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await build();
  const home = await mkdtemp(join(tmpdir(), 'escapement-test-'));
  const memory = await memoryFolder('escapement-test-postgres-');
  try {
    const { servers, stop } = await startServers(home, memory);
    await makeTemplate(servers);
    project.provide('escapementServers', servers);
    return stop;
  } catch (error) {
    for (const folder of [home, memory]) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startServers(
  home: string,
  memory: string,
): Promise<{ servers: TestServers; stop: () => Promise<void> }> {
  // Postgres may run as another user, who has to enter them.
  for (const folder of [home, memory]) await chmod(folder, 0o711);
  const redisProgram = await findRedis((line) => process.stderr.write(`${line}\n`));
  const [postgres, redis] = await Promise.all([
    startPostgres({ dir: join(memory, 'postgres'), port: 0, ephemeral: true, removeDir: memory }),
    startRedis(redisProgram, { dir: join(home, 'redis'), port: 0, ephemeral: true, removeDir: home }),
  ]);
  const servers = { home, redisProgram, postgresUrl: postgres.url, redisUrl: redis.url, template: TEMPLATE };
  const stop = async () => {
    await redis.stop();
    await postgres.stop();
  };
  return { servers, stop };
}

/** Nobody may connect to it: a database can only be cloned while it has no session, not even autovacuum's. */
async function makeTemplate({ postgresUrl, template }: TestServers): Promise<void> {
  const url = new URL(postgresUrl);
  url.pathname = `/${template}`;
  await migrate(url.href, { createDatabase: true, roles: {} });
  await makeDatabaseUsers(postgresUrl);
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
  await client.end();
}
