import { type Database, openDatabase } from '@escapement/store';
import { PATIENT } from '../fleet.ts';

/** The fleet's sessions have other names: `bench worker`, `bench scheduler`. */
export const OWN_SESSIONS = 'pressure';

/** Sessions of the driver. Where Postgres ends them, the next call opens new ones. */
export function openSessions(url: string, what: string, connections?: number): Database {
  const applicationName = `${OWN_SESSIONS} ${what}`;
  return openDatabase({ url, applicationName, connections, onError: () => undefined, ...PATIENT });
}

export type Session = Awaited<ReturnType<typeof takeSession>>;

/** A session that its owner holds. If Postgres ends it, only the next statement fails. */
export async function takeSession(db: Database) {
  const session = await db.pool.connect();
  session.on('error', () => undefined);
  return session;
}
