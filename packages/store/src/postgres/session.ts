import { EscapementError, SECOND } from '@escapement/core';
import type { Client, ClientBase, ClientConfig } from 'pg';
import { Link } from './link.ts';

/** Settings of a session, named and written as in pg_settings. */
export type SessionSettings = Readonly<Record<string, string>>;

const ANSWER_MS = 5 * SECOND;

/** adapter-pg sends times without an offset: any other session zone would shift them. */
export const IN_UTC: SessionSettings = { TimeZone: 'UTC' };

/**
 * Gives a session its settings by a statement. A pooler such as PgBouncer refuses or drops what comes with the start of a
 * session.
 */
export async function setUpSession(client: ClientBase, settings: SessionSettings): Promise<void> {
  await client.query(
    'SELECT set_config(s.name, s.value, false) FROM unnest($1::text[], $2::text[]) AS s(name, value)',
    [Object.keys(settings), Object.values(settings)],
  );
}

/** The settings of a session that are not as they were asked for: what, and what they are. */
export async function strayedSettings(client: ClientBase, settings: SessionSettings): Promise<SessionSettings> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])',
    [Object.keys(settings)],
  );
  const strayed = rows.filter(({ name, setting }) => settings[name] !== setting);
  return Object.fromEntries(strayed.map(({ name, setting }) => [name, setting]));
}

/** Connects a session of its own, with these settings. Throws `database_pools_transactions`. */
export async function openSession(config: ClientConfig, settings: SessionSettings): Promise<Client> {
  const client = new Link(config);
  // An end in the midst of a statement fails that statement as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requireOwnServer(client, config);
    await setUpSession(client, settings);
  } catch (error) {
    await client.end();
    throw error;
  }
  return client;
}

/**
 * Refuses a pooler that gives a session another server for each transaction: settings, prepared statements, locks and
 * LISTEN would be those of somebody else. Throws `database_pools_transactions`. Through none it costs one question.
 */
export async function requireOwnServer(client: ClientBase, config: ClientConfig): Promise<void> {
  const pid = await serverOf(client);
  // Postgres says at the start which process serves the session. A pooler makes up a number of its own.
  if ('processID' in client && client.processID === pid) return;
  if (!(await changesServers(client, pid, config))) return;
  throw new EscapementError(
    'database_pools_transactions',
    'the pooler before Postgres pools transactions, not sessions: it takes from a session its settings, prepared statements and locks',
    {
      fix: 'set pool_mode = session in PgBouncer for this database and user, or name Postgres itself in DATABASE_URL',
    },
  );
}

/** Whether a session gets several servers, or two sessions one, however the pooler chooses among those it has. */
async function changesServers(client: ClientBase, first: number, config: ClientConfig): Promise<boolean> {
  if ((await serverOf(client)) !== first) return true;
  // A pooler that has no server left for it lets it wait.
  const other = new Link({ ...config, query_timeout: ANSWER_MS });
  other.on('error', () => undefined);
  await other.connect();
  try {
    return (await serverOf(other)) === first || (await serverOf(client)) !== first;
  } finally {
    await other.end();
  }
}

async function serverOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}
