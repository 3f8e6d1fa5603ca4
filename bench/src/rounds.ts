import { HOUR, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { type BenchFleet, type BenchFleetOptions, startFleet } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { createMeter, type Meter, type Reading, type Usage } from './meter.ts';
import type { BenchServers } from './servers.ts';

/** What a round of so many runs took. */
export interface Round {
  runs: number;
  /** From when the first could be planned, or added, to the end of the last. */
  tookMs: number;
  usage: Usage;
}

export interface Pipeline {
  fleet: BenchFleet;
  /** Makes so many tasks due at once, and waits until all have run. */
  round(runs: number): Promise<Round>;
  stop(): Promise<void>;
}

/** A fleet with so many tasks, none of them due. */
export async function startPipeline(
  servers: BenchServers,
  tasks: number,
  options: BenchFleetOptions = {},
): Promise<Pipeline> {
  const fleet = await startFleet(servers, options);
  const meter = await createMeter(servers, fleet.db, {
    worker: fleet.workers.map(({ pid }) => pid),
    scheduler: [fleet.scheduler.pid],
  });
  await insertTasks(fleet.db, tasks, () => ({ spec: { kind: 'every', everyMs: HOUR }, nextRunAt: NEVER }));
  return {
    fleet,
    round: (runs) => measureRound(fleet, meter, runs),
    async stop() {
      meter.close();
      await fleet.stop();
    },
  };
}

async function measureRound({ db, count }: BenchFleet, meter: Meter, runs: number): Promise<Round> {
  await db.pool.query('UPDATE task SET plan_seq = plan_seq + 1, next_run_at = $1', [NEVER]);
  await db.pool.query('VACUUM ANALYZE');
  const { from, startedMs } = await makeDue(db, meter, runs);
  const endedMs = await count.settled(runs);
  const to = await meter.end();
  return { runs, tookMs: endedMs - startedMs, usage: await meter.usage(from, to) };
}

/** What it costs to make tasks due all at once is not measured: in life, time does that. */
async function makeDue(db: Database, meter: Meter, runs: number): Promise<{ from: Reading; startedMs: number }> {
  const link = await db.pool.connect();
  try {
    await link.query('BEGIN');
    await link.query(
      `UPDATE task SET plan_seq = plan_seq + 1, next_run_at = date_trunc('milliseconds', now())
       WHERE id IN (SELECT id FROM task ORDER BY id LIMIT $1)`,
      [runs],
    );
    await link.query(`SELECT pg_notify('escapement_wake', $1)`, [db.namespace]);
    const from = await meter.start();
    const startedMs = systemClock.now().getTime();
    await link.query('COMMIT');
    return { from, startedMs };
  } finally {
    link.release();
  }
}
