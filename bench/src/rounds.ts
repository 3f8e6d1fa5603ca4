import { DAY, systemClock } from '@escapement/core';
import { fillHistory } from './fill-weeks.ts';
import { type BenchFleet, type BenchFleetOptions, startFleet } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { makeDue } from './make-due.ts';
import { createMeter, type Meter, type Usage } from './meter.ts';
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
  /** Makes so many tasks due at once, and waits until all have run. A vacuum and a checkpoint come first, if the options do not leave them out. */
  round(runs: number, options?: { vacuum: boolean }): Promise<Round>;
  /** Rounds until the code of all processes is compiled, their caches are full, and workers know the tasks. */
  warmUp(): Promise<void>;
  /** Measures something else about so many runs. */
  measure(runs: number, work: () => Promise<void>): Promise<Round>;
  stop(): Promise<void>;
}

const WARM_UP_RUNS = 5000;

/** A task that was made due is not so again soon. */
export const YEARLY = { kind: 'every', everyMs: 366 * DAY };

export interface PipelineOptions extends BenchFleetOptions {
  /** The ledger has 13 weeks of the tasks' runs. Default false. */
  history?: boolean;
}

/** A fleet with so many tasks, none of them due. */
export async function startPipeline(
  servers: BenchServers,
  tasks: number,
  options: PipelineOptions = {},
): Promise<Pipeline> {
  const fleet = await startFleet(servers, options);
  const meter = await createMeter(servers, fleet.db, {
    worker: fleet.workers.map(({ pid }) => pid),
    scheduler: [fleet.scheduler.pid],
  });
  await insertTasks(fleet.db, tasks, () => ({ spec: YEARLY, nextRunAt: NEVER }));
  if (options.history) await fillHistory(fleet.db, tasks);
  return {
    fleet,
    async warmUp() {
      for (let left = Math.max(WARM_UP_RUNS, tasks); left > 0; left -= tasks) await measureRound(fleet, meter, tasks);
    },
    async round(runs, { vacuum } = { vacuum: true }) {
      if (vacuum) await fleet.db.pool.query('VACUUM ANALYZE');
      // Postgres makes one every five minutes. The first write of a page after it is the whole page.
      if (vacuum) await fleet.db.pool.query('CHECKPOINT');
      return measureRound(fleet, meter, runs);
    },
    async measure(runs, work) {
      const from = await meter.start();
      const startedMs = systemClock.monotonicMs();
      await work();
      const tookMs = systemClock.monotonicMs() - startedMs;
      return { runs, tookMs, usage: await meter.usage(from, await meter.end()) };
    },
    async stop() {
      meter.close();
      await fleet.stop();
    },
  };
}

const FIRST = 'id IN (SELECT id FROM task ORDER BY id LIMIT $1)';

async function measureRound({ db, count }: BenchFleet, meter: Meter, runs: number): Promise<Round> {
  const { from, startedMs } = await makeDue(db, meter, FIRST, [runs]);
  const endedMs = await count.finished(runs);
  const to = await meter.end();
  return { runs, tookMs: endedMs - startedMs, usage: await meter.usage(from, to) };
}
