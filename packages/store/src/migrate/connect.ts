import { EscapementError } from '@escapement/core';
import pg from 'pg';
import { explainRefusal } from '../postgres/refusal.ts';
import { IN_UTC, openSession } from '../postgres/session.ts';

/** Connects, or says in a user's words why not. `create` makes a database that does not exist. */
export async function connect(databaseUrl: string, create: boolean): Promise<pg.Client> {
  try {
    return await open(databaseUrl);
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    if (!isMissingDatabase(error) || !create)
      throw explainRefusal(error, { url: databaseUrl }) ?? unreachable(databaseUrl, error);
  }
  await createDatabase(databaseUrl);
  return open(databaseUrl);
}

async function open(databaseUrl: string): Promise<pg.Client> {
  return await openSession(
    { connectionString: databaseUrl, application_name: 'escapement-migrate', connectionTimeoutMillis: 10_000 },
    IN_UTC,
  );
}

const CREATED_MEANWHILE = new Set(['42P04', '23505']);

async function createDatabase(databaseUrl: string): Promise<void> {
  const admin = new URL(databaseUrl);
  const name = databaseName(databaseUrl);
  admin.pathname = '/postgres';
  const client = await open(admin.href);
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && CREATED_MEANWHILE.has(error.code ?? ''))) throw error;
  } finally {
    await client.end();
  }
}

function isMissingDatabase(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '3D000';
}

function databaseName(databaseUrl: string): string {
  return decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
}

function unreachable(databaseUrl: string, cause: unknown): EscapementError {
  const { host, username } = URL.canParse(databaseUrl)
    ? new URL(databaseUrl)
    : { host: '(no valid URL)', username: '' };
  const why = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : String(cause);
  return new EscapementError('database_unreachable', `cannot connect to Postgres at ${host} as "${username}": ${why}`, {
    cause,
    fix: 'check DATABASE_URL, and that the server runs',
  });
}
