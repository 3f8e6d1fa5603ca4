import { SECOND } from '@escapement/core';
import pg from 'pg';
import { during, type Fault, type Injury, nowMs, type Scene } from './fault.ts';

const AWAY_MS = 3 * SECOND;

function postgresFault(name: string, title: string, inject: (scene: Scene) => Promise<Injury>): Fault {
  return { name: `postgres-${name}`, title: `Postgres ${title}`, inject };
}

/**
 * It crashes and recovers. Nobody could send a heartbeat meanwhile, so that a worker's silence proves nothing until the heartbeats have
 * come through for a lease again.
 */
export const postgresKilled = postgresFault('killed', 'killed', ({ postgres }) =>
  during(
    AWAY_MS,
    () => postgres.crash(),
    () => postgres.start(),
  ),
);

/** Each session of the fleet is ended by an administrator. */
export const sessionsTerminated = postgresFault('sessions-terminated', 'connections terminated', async ({ ledger }) => {
  const fromMs = nowMs();
  const ended = await ledger.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name LIKE 'escapement%' AND pid <> pg_backend_pid()`);
  return { fromMs, healedMs: nowMs(), detail: `${ended.length} sessions` };
});

/** Somebody's migration holds the ledger. */
export const ledgerLocked = postgresFault('table-locked', 'table locked', async ({ postgres }) => {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return await during(
      AWAY_MS,
      async () => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE run IN ACCESS EXCLUSIVE MODE');
      },
      () => client.query('COMMIT'),
    );
  } finally {
    await client.end();
  }
});

/** Each piece of each answer comes 150 ms later. */
export const postgresSlow = postgresFault('slow', 'slow', async ({ fleet }) => {
  const links = fleet.members.map(({ postgres }) => postgres);
  return await during(
    AWAY_MS,
    () => links.map((link) => link.delay(150)),
    () => links.map((link) => link.pass()),
  );
});
