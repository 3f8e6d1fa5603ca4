import { EscapementError } from '@escapement/core';
import type { WatchedServer } from '@escapement/service';
import { askForLife, type Database, isConnectionError } from '@escapement/store';
import type { MetricsSources } from './metrics/metrics.ts';

const DEFAULT_PORT = 5432;

/** What the network says, whoever was called. */
const NETWORK = /\b(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b/;

/** What the client of Redis says of a connection, and what a Redis says that is not ready yet. */
const REDIS_WORDS =
  /Connection is closed|Command timed out|max retries per request|[Ss]ocket timeout|Stream isn't writeable|sentinel|^(LOADING|MASTERDOWN)\b/i;

/** too_many_connections: a server that starts again has no room for all at once. */
const NO_ROOM = '53300';

/** By the names that sources of metrics have: how lines name it, and who meets errors of it alone. */
const REDIS = {
  redis: { name: 'Redis', own: 'redis', other: 'redis for leases' },
  'redis-leases': { name: 'the Redis of the leases', own: 'redis for leases', other: 'redis' },
} as const;

/** The watch over the Redis of a namespace asks Postgres too, and is not one of them. */
const ASKS_REDIS_ALONE: ReadonlySet<string> = new Set(Object.values(REDIS).map(({ own }) => own));

export function watchedPostgres(db: Database): WatchedServer {
  const port = URL.canParse(db.url) ? Number(new URL(db.url).port || DEFAULT_PORT) : undefined;
  return {
    name: 'Postgres',
    suspects(error, who) {
      const called = portOf(error);
      if (ASKS_REDIS_ALONE.has(who) || (called !== undefined && called !== port)) return false;
      return isConnectionError(error) || codeOf(error) === NO_ROOM;
    },
    ask: () => askForLife(db),
  };
}

/** Those among the servers whose metrics a program has. `db`: an error with the port of Postgres is not theirs. */
export function watchedRedis(servers: MetricsSources['servers'] = {}, db: Database): WatchedServer[] {
  const postgres = watchedPostgres(db);
  return (Object.keys(REDIS) as (keyof typeof REDIS)[]).flatMap((key) => {
    const [ask, { name, own, other }] = [servers[key], REDIS[key]];
    if (!ask) return [];
    const suspects = (error: unknown, who: string) =>
      who !== other &&
      isRedisTrouble(error) &&
      (who === own || portOf(error) === undefined || !postgres.suspects(error, who));
    return [{ name, suspects, ask }];
  });
}

function isRedisTrouble(error: unknown): boolean {
  if (error instanceof EscapementError) return error.code === 'redis_unreachable';
  if (!(error instanceof Error)) return false;
  return NETWORK.test(String(codeOf(error))) || NETWORK.test(error.message) || REDIS_WORDS.test(error.message);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Which port was called. A host with several addresses is an error for each. Undefined: it does not say. */
function portOf(error: unknown): number | undefined {
  if (error instanceof AggregateError) return portOf(error.errors[0]);
  return error instanceof Error && 'port' in error && typeof error.port === 'number' ? error.port : undefined;
}
