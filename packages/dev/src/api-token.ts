import { readFile, rename, writeFile } from 'node:fs/promises';
import { actionOf, DAY, EscapementError, systemClock } from '@escapement/core';
import { createToken, principalOfToken } from '@escapement/operations';
import { type Database, openDatabase } from '@escapement/store';

const LIFE_MS = 30 * DAY;
const OWNER_ONLY = 0o600;

/** The file that has a token of an admin in it, for the API of this fleet alone; a new one where there is none that is still good. */
export async function keepApiToken(file: string, databaseUrl: string): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'escapement dev' });
  try {
    if (await isGood(db, await readFile(file, 'utf8').catch(() => ''))) return;
    const by = actionOf({ kind: 'process', id: 'escapement dev', name: 'escapement dev', address: null });
    const name = `dev-${systemClock.now().toISOString().replaceAll(/[-:.]/g, '')}`;
    const { token } = await createToken(db, { name, role: 'admin', lifeMs: LIFE_MS }, by);
    const written = `${file}.${process.pid}`;
    await writeFile(written, `${token}\n`, { mode: OWNER_ONLY });
    await rename(written, file);
  } finally {
    await db.close();
  }
}

async function isGood(db: Database, token: string): Promise<boolean> {
  if (token === '') return false;
  try {
    await principalOfToken(db, token.trim(), null);
    return true;
  } catch (error) {
    if (error instanceof EscapementError) return false;
    throw error;
  }
}
