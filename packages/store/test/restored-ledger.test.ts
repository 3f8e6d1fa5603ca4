import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeLedgerMove, type LedgerMove } from '@escapement/core';
import { administer, afterFile, type Cluster, systemPostgres } from '@escapement/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Database,
  finishRuns,
  ledgerOrigin,
  type MarkerNoted,
  migrate,
  noteMarker,
  openDatabase,
  ownLedger,
} from '../src/index.ts';
import { begun, finishRequest, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const postgres = systemPostgres();

/** A ledger of three runs due, the copy taken once the first has run, and what was given and written after it. */
interface Restored {
  old: Cluster;
  /** The newest fence that the old ledger gave. */
  given: bigint;
  /** Runs of the copy that are still due in it: one of a key that the copy knows, one of a key that is younger. */
  due: QueuedFixture[];
  /** What the old ledger said of itself last. */
  last: MarkerNoted;
}

describe.skipIf(postgres === undefined)(
  'a ledger that was restored gives no fence again, and knows that it moved',
  () => {
    let dump: string;
    let copy: string;
    let restored: Restored;

    beforeAll(async () => {
      if (!postgres) return;
      [dump, copy] = [postgres.folder(), postgres.folder()];
      const old = await postgres.create();
      await migrate(inDatabase(old.url, 'ledger'), { createDatabase: true });
      const db = open(old, 'ledger');
      const known = await queueRuns(db, await dueOf(db, 'known', 2));
      const younger = await queueRuns(db, await dueOf(db, 'younger', 2));
      await runOf(db, known[0]);
      await noteMarker(db, { found: null, server: 's', marker: 'one' });
      await ownLedger(db);
      await postgres.run('pg_dump', '-Fc', '-f', dump, inDatabase(old.url, 'ledger'));
      await postgres.run('pg_basebackup', '-D', copy, '-d', old.url, '-X', 'stream', '-c', 'fast');
      const given = [await runOf(db, known[1]), await runOf(db, younger[0])];
      await db.pool.query('CREATE TABLE more AS SELECT generate_series(1, 1000)');
      const last = await noteMarker(db, { found: 'one', server: 's', marker: 'two' });
      await db.close();
      restored = {
        old,
        given: given.reduce((one, other) => (one > other ? one : other)),
        due: [known[1], younger[0]].filter((run) => run !== undefined),
        last,
      };
    });

    async function check(db: Database, expected: LedgerMove): Promise<void> {
      expect((await ledgerOrigin(db)).copied).toBe(expected === 'cluster' || expected === 'tables');
      const { here, noted } = await noteMarker(db, { found: 'two', server: 's', marker: 'three' });
      expect(judgeLedgerMove({ here, noted, outside: restored.last.here })).toBe(expected);
      for (const run of restored.due) expect(await runOf(db, run)).toBeGreaterThan(restored.given);
    }

    test('by pg_restore into a new server', async () => {
      const fresh = await required().create();
      await administer(fresh.url, 'CREATE DATABASE ledger');
      await required().run('pg_restore', '-d', inDatabase(fresh.url, 'ledger'), dump);
      await check(open(fresh, 'ledger'), 'cluster');
    });

    test('by pg_restore into another database of its own server', async () => {
      await administer(restored.old.url, 'CREATE DATABASE restored');
      await required().run('pg_restore', '-d', inDatabase(restored.old.url, 'restored'), dump);
      await check(open(restored.old, 'restored'), 'tables');
    });

    test('by an older copy of its disk, which is the same cluster on the same timeline', async () => {
      const again = await required().start(copy);
      await check(open(again, 'ledger'), 'back');
      await again.stop();
    });

    test('by a standby that became the primary', async () => {
      await writeFile(join(copy, 'standby.signal'), '');
      const standby = await required().start(copy);
      await required().run('pg_ctl', 'promote', '-D', copy, '-w');
      const db = open(standby, 'ledger');
      expect((await ledgerOrigin(db)).copied).toBe(false);
      const { here, noted } = await noteMarker(db, { found: 'two', server: 's', marker: 'four' });
      expect(judgeLedgerMove({ here, noted, outside: null })).toBe('timeline');
    });
  },
);

function required() {
  if (!postgres) throw new Error('no Postgres of the system');
  return postgres;
}

function open(cluster: Cluster, name: string): Database {
  const db = openDatabase({ url: inDatabase(cluster.url, name), applicationName: 'test' });
  afterFile(() => db.close());
  return db;
}

function inDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function dueOf(db: Database, key: string, count: number) {
  const taskId = await makeTask(db, { name: key });
  return Array.from({ length: count }, (_, index) => ({ taskId, key, ageMs: (count - index) * MINUTE }));
}

/** Runs it to its end, and says under which fence. */
async function runOf(db: Database, run: QueuedFixture | undefined): Promise<bigint> {
  const [mine] = run ? await begun(db, [run]) : [];
  if (!mine) throw new Error('not begun');
  expect(await finishRuns(db, [finishRequest(mine)])).toEqual(['applied']);
  return mine.fence;
}
