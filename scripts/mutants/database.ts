import { administer, type TestServers } from '@escapement/testkit';
import pg from 'pg';

/** Puts another body into a function of the database that test files clone. False: Postgres refuses it. */
export async function replaceFunction({ postgresUrl, template }: TestServers, sql: string): Promise<boolean> {
  await administer(postgresUrl, `ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS true`);
  const url = new URL(postgresUrl);
  url.pathname = `/${template}`;
  try {
    await administer(url.href, sql);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return false;
    throw error;
  } finally {
    // Databases are cloned only while the template has no session.
    await administer(postgresUrl, `ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false`);
  }
}
