import { SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { type BenchFleet, clearTables, startFleet } from './fleet.ts';
import { insertRuns } from './insert-runs.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { YEARLY } from './rounds.ts';
import { startServers } from './servers.ts';
import type { Figures } from './targets.ts';

const RUNS = 100_000;
/** Other tasks go on at this rate, from when the burst is due. */
const OTHERS_PER_SECOND = 50;
const OTHERS_SECONDS = 40;
/** From when the fleet is up to the burst: more than what is planned ahead. */
const AHEAD_MS = 15 * SECOND;

const SHAPES = ['tasks', 'one task'] as const;
type Shape = (typeof SHAPES)[number];

/** `burst [RUNS]`: so many runs due in the same second, of as many tasks and then of one, and what that does to other tasks. */
export async function run(args: readonly string[]): Promise<Figures> {
  const runs = Number(args[0] ?? RUNS);
  const servers = await startServers();
  const found: Record<Shape, Found> = { tasks: UNKNOWN, 'one task': UNKNOWN };
  try {
    for (const shape of SHAPES) {
      await clearTables(servers);
      const fleet = await startFleet(servers);
      found[shape] = await measure(fleet, runs, shape).finally(fleet.stop);
      process.stdout.write(`${runs} runs of ${shape}: ${describe(found[shape])}\n`);
    }
  } finally {
    await servers.stop();
  }
  return {
    burstTasks: found.tasks.lastStartS,
    burstTask: found['one task'].lastStartS,
    burstOthers: Math.max(found.tasks.othersP99, found['one task'].othersP99),
  };
}

interface Found {
  started: number;
  /** After the second in which all were due. */
  lastStartS: number;
  /** Other tasks that were due until then, and how late they were. Milliseconds. */
  others: number;
  othersP50: number;
  othersP99: number;
  othersUnstarted: number;
}

const UNKNOWN: Found = {
  started: 0,
  lastStartS: Number.NaN,
  others: 0,
  othersP50: Number.NaN,
  othersP99: Number.NaN,
  othersUnstarted: 0,
};

function describe(found: Found): string {
  return (
    `last of ${found.started} started after ${found.lastStartS.toFixed(1)} s; ${found.others} others due meanwhile, ` +
    `late by ms: p50 ${found.othersP50.toFixed(0)}  p99 ${found.othersP99.toFixed(0)}; ${found.othersUnstarted} not started`
  );
}

async function measure({ db, count }: BenchFleet, runs: number, shape: Shape): Promise<Found> {
  const others = OTHERS_PER_SECOND * OTHERS_SECONDS;
  await insertTasks(db, others, () => ({ spec: YEARLY, nextRunAt: NEVER }), { prefix: 'other' });
  if (shape === 'tasks') await insertTasks(db, runs, () => ({ spec: YEARLY, nextRunAt: NEVER }));
  else await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: null }), { overlap: 'allow' });
  const dueMs = Math.ceil((systemClock.now().getTime() + AHEAD_MS + runs / 10) / SECOND) * SECOND;
  const due = new Date(dueMs);
  if (shape === 'tasks') await makeDue(db, due);
  else await insertRuns(db, { task: 'bench-0', count: runs, state: 'planned', at: () => due, keys: 'own' });
  await makeOthersDue(db, due);
  await count.finished(runs + others);
  return await judge(db, due);
}

async function makeDue(db: Database, due: Date): Promise<void> {
  await db.pool.query(
    `UPDATE task_plan SET plan_seq = plan_seq + 1, next_run_at = $1 WHERE task_id IN (SELECT id FROM task WHERE name LIKE 'bench-%')`,
    [due],
  );
}

async function makeOthersDue(db: Database, from: Date): Promise<void> {
  await db.pool.query(
    `UPDATE task_plan plan SET plan_seq = plan.plan_seq + 1,
       next_run_at = $1::timestamptz + split_part(t.name, '-', 2)::integer * make_interval(secs => 1 / $2::float8)
     FROM task t WHERE t.id = plan.task_id AND t.name LIKE 'other-%'`,
    [from, OTHERS_PER_SECOND],
  );
}

async function judge(db: Database, due: Date): Promise<Found> {
  const { rows } = await db.pool.query<Found>(
    `WITH r AS (SELECT r.*, t.name LIKE 'other-%' AS other FROM run r JOIN task t ON t.id = r.task_id),
     burst AS (SELECT count(started_at)::integer AS started, max(started_at) AS last FROM r WHERE NOT other),
     beside AS (SELECT extract(epoch FROM r.started_at - r.due_at)::float8 * 1000 AS late_ms
       FROM r, burst WHERE r.other AND r.due_at < burst.last)
     SELECT burst.started, extract(epoch FROM burst.last - $1)::float8 AS "lastStartS",
       (SELECT count(*)::integer FROM beside) AS others,
       (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY late_ms) FROM beside) AS "othersP50",
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY late_ms) FROM beside) AS "othersP99",
       (SELECT count(*)::integer FROM beside WHERE late_ms IS NULL) AS "othersUnstarted"
     FROM burst`,
    [due],
  );
  return rows[0] ?? UNKNOWN;
}
