import { isLoopback } from '@escapement/core/egress';

/** A server that is spoken to without TLS, over a network. */
export interface PlainTextServer {
  server: 'Postgres' | 'the standby of Postgres' | 'Redis' | 'Redis for leases';
  /** Where it is, or the sentinels that know it; without user and password. */
  hosts: string;
  /** What to change. */
  fix: string;
}

/** The settings that say where servers are. */
export interface ServerSettings {
  databaseUrl?: string | undefined;
  standbyUrl?: string | undefined;
  redisUrl?: string | undefined;
  redisSentinels?: readonly string[] | undefined;
  leaseRedisUrl?: string | undefined;
  leaseRedisSentinels?: readonly string[] | undefined;
}

/** What node-postgres takes from the environment of its own process where the URL says nothing. */
export type LibpqEnvironment = NodeJS.ProcessEnv & { PGHOST?: string; PGPORT?: string; PGSSLMODE?: string };

/** The modes in which node-postgres asks for TLS. */
const TLS_MODES = ['prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The servers that are spoken to in plain text, but for those on this machine: Unix sockets and loopback addresses. */
export function plainTextServers(settings: ServerSettings, env: LibpqEnvironment = process.env): PlainTextServer[] {
  const { databaseUrl, standbyUrl, redisUrl, redisSentinels, leaseRedisUrl, leaseRedisSentinels } = settings;
  return [
    ...plain('Postgres', postgresHosts(databaseUrl, env), 'add sslmode=verify-full to DATABASE_URL'),
    ...plain(
      'the standby of Postgres',
      postgresHosts(standbyUrl, env),
      'add sslmode=verify-full to DATABASE_STANDBY_URL',
    ),
    ...plain('Redis', redisHosts(redisUrl, redisSentinels), 'use rediss:// in REDIS_URL'),
    ...plain('Redis for leases', redisHosts(leaseRedisUrl, leaseRedisSentinels), 'use rediss:// in REDIS_LEASE_URL'),
  ];
}

/** For people: what anybody on the way can do. */
export function plainTextWords({ server, hosts }: PlainTextServer): string {
  return `${server} at ${hosts} is spoken to in plain text: whoever is on the way reads the password, and what runs are given`;
}

function plain(server: PlainTextServer['server'], hosts: readonly string[], fix: string): PlainTextServer[] {
  const remote = hosts.filter((host) => !isLoopback(hostname(host)));
  return remote.length === 0 ? [] : [{ server, hosts: remote.join(', '), fix }];
}

/** Of `host:port`. */
function hostname(host: string): string {
  return /^(\[.*\]|[^:]*)(:\d+)?$/.exec(host)?.[1] ?? host;
}

/** None: by TLS, or by a Unix socket. As node-postgres reads the URL. */
function postgresHosts(text: string | undefined, env: LibpqEnvironment): string[] {
  if (text === undefined || !URL.canParse(text)) return [];
  const url = new URL(text);
  const { searchParams: options } = url;
  const host = options.get('host') ?? (decodeURIComponent(url.hostname) || (env.PGHOST ?? ''));
  if (url.protocol === 'socket:' || host === '' || host.startsWith('/') || speaksTls(options, env)) return [];
  const port = options.get('port') ?? (url.port || (env.PGPORT ?? ''));
  return [port === '' ? host : `${host}:${port}`];
}

function speaksTls(options: URLSearchParams, { PGSSLMODE = '' }: LibpqEnvironment): boolean {
  const mode = options.get('sslmode');
  if (mode !== null) return mode !== 'disable';
  if (['sslcert', 'sslkey', 'sslrootcert'].some((name) => options.has(name))) return true;
  const ssl = options.get('ssl');
  if (ssl !== null || options.has('sslnegotiation'))
    return ['true', '1'].includes(ssl ?? '') || options.get('sslnegotiation') === 'direct';
  return TLS_MODES.includes(PGSSLMODE);
}

function redisHosts(text: string | undefined, sentinels: readonly string[] | undefined): readonly string[] {
  if (text === undefined || !URL.canParse(text)) return [];
  const { protocol, host } = new URL(text);
  return protocol === 'rediss:' || host === '' ? [] : (sentinels ?? [host]);
}
