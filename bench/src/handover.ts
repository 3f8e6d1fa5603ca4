import { systemClock } from '@escapement/core';
import { type BenchFleet, startFleet } from './fleet.ts';
import { insertRuns } from './insert-runs.ts';
import { insertTasks } from './insert-tasks.ts';
import { startServers } from './servers.ts';
import { figure, quantile } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 300;
const WORKERS = 2;
/** Long enough that all others are in the wait queue before the first one ends. */
const FIRST_MS = 4000;
const EACH_MS = 25;

/**
 * `handover [RUNS]`: how long a key lies idle between the end of a run and the start of the next one in the wait queue: `wait-all`,
 * one key, worker processes that do nothing else. From the write that ends a run (its transaction's start, by Postgres'
 * clock) to the handler of the next one (by the clock of the worker's process, on the same machine).
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const runs = Number(args[0] ?? RUNS);
  const servers = await startServers();
  try {
    const fleet = await startFleet(servers, { workers: WORKERS, concurrency: 20, handler: 'waiting' });
    const gaps = await measure(fleet, runs).finally(fleet.stop);
    const at = (share: number) => figure(quantile(gaps, share), 1);
    process.stdout.write(
      `\nhand-over, ${gaps.length} runs in the wait queue, ${WORKERS} workers: ms from end to start: p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}\n`,
    );
    return { handover: quantile(gaps, 0.99) };
  } finally {
    await servers.stop();
  }
}

async function measure({ db, count }: BenchFleet, runs: number): Promise<number[]> {
  await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: null }), { overlap: 'wait-all' });
  const last = systemClock.now().getTime();
  await insertRuns(db, {
    task: 'bench-0',
    count: runs,
    state: 'planned',
    at: (index) => new Date(last - runs + index),
    keys: 'task',
    payload: (index) => (index === 0 ? FIRST_MS : EACH_MS),
  });
  await count.finished(runs);
  const { rows } = await db.pool.query<{ gap: number }>(
    `SELECT (output->>'startedMs')::float8
       - lag(extract(epoch FROM finished_at) * 1000) OVER (ORDER BY scheduled_for, id)::float8 AS gap
     FROM run ORDER BY scheduled_for, id OFFSET 2`,
  );
  return rows.map(({ gap }) => gap);
}
