import { HOUR, newRunId } from '@escapement/core';
import { pause } from '../apps.ts';
import { cpuUsOf } from '../cpu.ts';
import type { Ground, Pressure } from './pressure.ts';
import { openSessions, type Session, takeSession } from './sessions.ts';

const READERS = 4;
const REST_MS = 100;
/** What an analyst asks of hot tables: the runs of the last hour, whose ids begin with their time, and the slots of keys. */
const SCANS = [
  { text: 'SELECT count(*) FROM any_run WHERE id >= $1', hasValue: true },
  { text: 'SELECT * FROM any_run WHERE id >= $1 ORDER BY due_at DESC LIMIT 1000', hasValue: true },
  { text: 'SELECT count(*) FROM key_slot', hasValue: false },
];

/** A session opens a transaction, takes an id, and does nothing more: vacuum may clear nothing that dies since. */
export async function holdTransaction({ servers }: Ground): Promise<Pressure> {
  const db = openSessions(servers.databaseUrl, 'holder');
  const session = await takeSession(db);
  await session.query('BEGIN');
  await session.query('SELECT pg_current_xact_id()');
  return {
    async end() {
      await session.query('ROLLBACK');
      session.release();
      await db.close();
      return 'one session idle in a transaction';
    },
  };
}

/** Four sessions scan the runs again and again, each under one snapshot. */
export async function readUnderSnapshots({ servers, fromMs }: Ground): Promise<Pressure> {
  const db = openSessions(servers.databaseUrl, 'reader', READERS);
  const from = newRunId(new Date(fromMs - HOUR), new Uint8Array(10));
  const readers = await Promise.all(Array.from({ length: READERS }, () => startReader(() => takeSession(db), from)));
  return {
    ownPostgresUs: () => readers.reduce((sum, { pid }) => sum + (cpuUsOf(pid) || 0), 0),
    async end() {
      const scans = await Promise.all(readers.map((reader) => reader.end()));
      await db.close();
      return `${READERS} readers, ${scans.reduce((sum, count) => sum + count, 0)} scans`;
    },
  };
}

interface Reader {
  pid: number;
  /** Returns how many scans there were. */
  end(): Promise<number>;
}

async function startReader(take: () => Promise<Session>, from: string): Promise<Reader> {
  const session = await take();
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  let isOver = false;
  const work = (async () => {
    for (let scans = 0; ; ) {
      for (const { text, hasValue } of SCANS) {
        if (isOver) return scans;
        await session.query(text, hasValue ? [from] : []);
        scans++;
      }
      await pause(REST_MS);
    }
  })();
  // The end of the phase reports a failure.
  work.catch(() => undefined);
  return {
    pid,
    async end() {
      isOver = true;
      const scans = await work;
      await session.query('ROLLBACK');
      session.release();
      return scans;
    },
  };
}
