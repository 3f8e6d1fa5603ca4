import { systemClock } from '@escapement/core';
import { type BenchFleet, clearTables, startFleet } from './fleet.ts';
import { insertRuns } from './insert-runs.ts';
import { insertTasks } from './insert-tasks.ts';
import { startServers } from './servers.ts';
import type { Figures } from './targets.ts';

const RUNS = 2000;
const LIMITS = [1, 10];

/** `ordered-starts [RUNS]`: starts a second of one key whose runs start in order (`wait-all`); the handler does nothing. */
export async function run(args: readonly string[]): Promise<Figures> {
  const runs = Number(args[0] ?? RUNS);
  const servers = await startServers();
  const perSecond: number[] = [];
  try {
    for (const keyLimit of LIMITS) {
      await clearTables(servers);
      const fleet = await startFleet(servers);
      const found = await measure(fleet, runs, keyLimit).finally(fleet.stop);
      process.stdout.write(
        `limit ${keyLimit}: ${runs} runs, ${found.perSecond.toFixed(0)} starts/s; ms from start to start: ` +
          `p50 ${found.gapP50.toFixed(0)}  p95 ${found.gapP95.toFixed(0)}  max ${found.gapMax.toFixed(0)}; ${found.outOfOrder} begun before an earlier one\n`,
      );
      perSecond.push(found.perSecond);
    }
  } finally {
    await servers.stop();
  }
  const [ordered1 = Number.NaN, ordered10 = Number.NaN] = perSecond;
  return { ordered1, ordered10 };
}

async function measure({ db, count }: BenchFleet, runs: number, keyLimit: number): Promise<Found> {
  await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: null }), {
    overlap: 'wait-all',
    keyLimit,
    maxWaiting: runs,
  });
  const first = systemClock.now().getTime() - runs;
  const at = (index: number) => new Date(first + index);
  await insertRuns(db, { task: 'bench-0', count: runs, state: 'planned', at, keys: 'task' });
  await count.finished(runs);
  const { rows } = await db.pool.query<Found>(
    `SELECT (count(*) - 1) / extract(epoch FROM max(started_at) - min(started_at))::float8 AS "perSecond",
       percentile_disc(0.5) WITHIN GROUP (ORDER BY gap_ms) AS "gapP50", percentile_disc(0.95) WITHIN GROUP (ORDER BY gap_ms) AS "gapP95",
       max(gap_ms) AS "gapMax",
       (count(*) FILTER (WHERE started_at < latest_before))::integer AS "outOfOrder"
     FROM (
       SELECT started_at, extract(epoch FROM started_at - lag(started_at) OVER (ORDER BY started_at))::float8 * 1000 AS gap_ms,
         max(started_at) OVER (ORDER BY scheduled_for, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_before
       FROM run
     ) AS r`,
  );
  const [found] = rows;
  if (!found) throw new Error('nothing has started');
  return found;
}

interface Found {
  perSecond: number;
  /** Between the starts of two runs, whichever. Milliseconds. */
  gapP50: number;
  gapP95: number;
  gapMax: number;
  outOfOrder: number;
}
