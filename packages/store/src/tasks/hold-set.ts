import { EscapementError, SECOND } from '@escapement/core';
import { type Database, linkConfig } from '../postgres/database.ts';
import { Link } from '../postgres/link.ts';

/** Whoever writes a set of a thousand tasks takes some seconds. */
const WAIT_MS = 30 * SECOND;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Does work on the tasks of a source while nobody else does: from the look at what is there to the last write. Waits for whoever does.
 * Throws `save_races` after 30 s.
 */
export async function whileSetIsHeld<Result>(
  db: Database,
  source: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const link = new Link(linkConfig(db.url, 'escapement set of tasks'));
  link.on('error', () => undefined);
  await link.connect();
  try {
    await hold(link, `escapement set ${db.namespace} ${source}`).catch((error: unknown) => {
      throw isLockTimeout(error) ? raced(source) : error;
    });
    return await work();
  } finally {
    await link.end().catch(() => undefined);
  }
}

// By a connection of its own: the work needs those of the pool. In a transaction, so that a pooler between keeps the session; nothing in
// it has a snapshot.
async function hold(link: Link, name: string): Promise<void> {
  await link.query('BEGIN');
  await link.query(`SET LOCAL idle_in_transaction_session_timeout = 0`);
  await link.query(`SET LOCAL lock_timeout = ${WAIT_MS}`);
  await link.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}

function raced(source: string): EscapementError {
  return new EscapementError('save_races', `somebody else is writing the tasks of ${source}, for more than 30 s`, {
    fix: 'try again when that is done',
  });
}
