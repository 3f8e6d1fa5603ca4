import { afterFile, eventually, hasPgBouncer, pgBouncer, testDatabase } from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
import {
  type Database,
  dropOldPartitions,
  inspectDatabase,
  listenForWake,
  migrate,
  openDatabase,
  pendingMigrations,
  pingDatabase,
} from '../src/index.ts';

// Left out where the program is not installed (Debian: `apt-get install pgbouncer`).
describe.skipIf(!hasPgBouncer)('through a PgBouncer', async () => {
  const { url } = await testDatabase();

  function open(through: string): Database {
    const db = openDatabase({ url: through, applicationName: 'pgbouncer test', statementTimeoutMs: 7000 });
    afterFile(() => db.close());
    return db;
  }

  describe('that pools sessions', async () => {
    const through = hasPgBouncer ? await pgBouncer(url, { poolMode: 'session' }) : '';

    test('each session has its settings, though the pooler takes none of them at the start', async () => {
      const db = open(through);
      const { rows } = await db.hot.query(
        `SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout', 'enable_hashjoin', 'TimeZone') ORDER BY 1`,
      );
      expect(rows.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
        'TimeZone=UTC',
        'enable_hashjoin=off',
        'lock_timeout=5000',
        'statement_timeout=7000',
      ]);
    });

    test('a setting that a session has lost is found', async () => {
      const db = open(through);
      expect((await inspectDatabase(db)).strayed).toEqual({});
      await db.pulse.query('SET statement_timeout = 0');
      expect((await inspectDatabase(db)).strayed).toEqual({ statement_timeout: '0' });
    });

    test('a database is migrated, hints are heard, and old partitions looked for', async () => {
      const { url: empty } = await testDatabase({ empty: true });
      const target = new URL(through);
      target.pathname = new URL(empty).pathname;
      await migrate(target.href);
      const db = open(target.href);
      expect(await pendingMigrations(db.pool)).toEqual([]);
      expect(await dropOldPartitions(db)).toMatchObject({ waiting: false });
      let hints = 0;
      const listener = listenForWake(db, () => {
        hints += 1;
      });
      await eventually(() => expect(hints).toBe(1));
      await db.pool.query(`SELECT pg_notify('escapement_wake', 'default')`);
      await eventually(() => expect(hints).toBe(2));
      await listener.stop();
    });
  });

  describe('that pools transactions', () => {
    test.each([[[]], [['ignore_startup_parameters = extra_float_digits, options']], [['server_round_robin = 1']]])(
      'it is refused with a sentence, %j',
      async (settings) => {
        const through = await pgBouncer(url, { poolMode: 'transaction', settings });
        const refused = { code: 'database_pools_transactions', fix: expect.stringContaining('pool_mode = session') };
        await expect(pingDatabase(open(through))).rejects.toMatchObject(refused);
        await expect(migrate(through)).rejects.toMatchObject(refused);
      },
    );
  });
});
