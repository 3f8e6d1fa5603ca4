import { setTimeout as delay } from 'node:timers/promises';
import { DAY, SECOND, systemClock } from '@escapement/core';
import { type Database, dropOldPartitions, ensurePartitions, openDatabase } from '@escapement/store';
import { beginWeeksAt, type Probe } from '@escapement/testkit';
import { z } from 'zod';
import { nowMs, type Scene } from './fault.ts';

/** Schedulers do it each hour; here it is done on and on, by the same functions. */
export interface Maintenance {
  readonly db: Database;
  /** Makes partitions that nobody has yet, and drops old ones; returns the names of those that were dropped. */
  pass(): Promise<string[]>;
  /** Drops old ones alone. */
  drop(): Promise<string[]>;
  /** Until all that is old has been dropped. */
  finish(): Promise<string[]>;
  /** Throws if anybody had to wait for it. */
  close(): Promise<void>;
}

/** Nothing that is to be dropped is younger. */
const OLD_DAYS = 60;
const OLD_WEEKS_DAYS = 20;
/** It is 50 ms, and what the disk and the noise of a machine make of them; in fair time. */
const MAX_WAIT_MS = 500;
/** Shorter ones are not looked at. */
const WORTH_A_LOOK_MS = 50;
const FINISH_MS = 30 * SECOND;
const LOOK_MS = 20;

/** Makes the ledger two months old, with weeks that are to be dropped, and watches whether anybody waits for maintenance. */
export async function startMaintenance({ postgres, ledger, probe }: Scene): Promise<Maintenance> {
  const db = openDatabase({ url: postgres.url, applicationName: 'chaos' });
  const old = new Date(nowMs() - OLD_DAYS * DAY);
  await beginWeeksAt(postgres.url, old);
  await ensurePartitions(db, old, OLD_WEEKS_DAYS);
  const waits = watchWaits(ledger, probe);

  const drop = async () => (await dropOldPartitions(db)).names;

  async function pass(): Promise<string[]> {
    const { rows } = await db.pool.query<{ at: Date }>(`SELECT max(to_at) AS at FROM partitions_of('run')`);
    await ensurePartitions(db, rows[0]?.at ?? systemClock.now(), 0);
    return await drop();
  }

  async function finish(): Promise<string[]> {
    const names: string[] = [];
    for (const isOver = probe.patience(FINISH_MS); !isOver(); await delay(200)) {
      const dropped = await dropOldPartitions(db);
      names.push(...dropped.names);
      if (!dropped.waiting) return names;
    }
    throw new Error(`old partitions were still there after ${FINISH_MS} ms, ${names.length} were dropped`);
  }

  return {
    db,
    pass,
    drop,
    finish,
    async close() {
      await db.close();
      const waitedMs = await waits.stop();
      if (waitedMs > MAX_WAIT_MS) throw new Error(`somebody waited ${Math.round(waitedMs)} ms for maintenance`);
    },
  };
}

const WAITS = `
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - l.waitstart) * 1000), 0)::float8 AS ms
FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted
WHERE a.application_name LIKE 'escapement%' AND a.application_name <> 'escapement maintenance'
  AND EXISTS (SELECT FROM pg_stat_activity m WHERE m.pid = ANY (pg_blocking_pids(a.pid))
    AND m.application_name IN ('escapement maintenance', 'chaos'))`;

const waited = z.array(z.object({ ms: z.number() }));

/** The longest that any process of the fleet waits for a lock that maintenance holds, or waits for itself. */
function watchWaits(ledger: Scene['ledger'], probe: Probe): { stop(): Promise<number> } {
  let over = false;
  const watched = (async () => {
    let longestMs = 0;
    for (; !over; await delay(LOOK_MS)) {
      const ms = waited.parse(await ledger.sql(WAITS))[0]?.ms ?? 0;
      const seenMs = nowMs();
      if (ms > WORTH_A_LOOK_MS) longestMs = Math.max(longestMs, probe.pace().fairMs(seenMs - ms, seenMs));
    }
    return longestMs;
  })();
  // Told by stop().
  watched.catch(() => undefined);
  return {
    stop() {
      over = true;
      return watched;
    },
  };
}
