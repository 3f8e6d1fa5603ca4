import { actionOf, EscapementError, systemClock } from '@escapement/core';
import { createSignInCode, createUser, newPassword } from '@escapement/operations';
import { type Database, openDatabase } from '@escapement/store';

/** The user as whom one signs in to a fleet for development. Nobody knows the password: a link lets them in. */
const NAME = 'dev';
const BY = actionOf({ kind: 'process', id: 'escapement dev', name: 'escapement dev', address: null });

/** A link that lets one browser in, once, within a quarter of an hour. `localhost`: browsers keep the cookie for no other plain HTTP. */
export async function signInLink(databaseUrl: string, apiUrl: string): Promise<string> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'escapement dev' });
  try {
    await keepUser(db);
    const code = await createSignInCode(db, NAME, { now: systemClock.now(), by: BY });
    return `${dashboardUrl(apiUrl)}/sign-in#code=${code}`;
  } finally {
    await db.close();
  }
}

/** Where a browser finds the dashboard of an API of this machine. */
export function dashboardUrl(apiUrl: string): string {
  return `http://localhost:${new URL(apiUrl).port}`;
}

async function keepUser(db: Database): Promise<void> {
  try {
    const rights = ['read-payload', 'shell', 'run-as', 'secrets', 'webhooks'] as const;
    await createUser(db, { name: NAME, password: newPassword(), role: 'admin', rights: [...rights] }, BY);
  } catch (error) {
    if (error instanceof EscapementError && error.code === 'name_taken') return;
    throw error;
  }
}
