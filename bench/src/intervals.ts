import { SECOND, systemClock } from '@escapement/core';
import { cpuUsOf } from './cpu.ts';
import { clearTables, startFleet } from './fleet.ts';
import { insertTasks } from './insert-tasks.ts';
import { type BenchServers, startServers } from './servers.ts';
import type { Figures } from './targets.ts';
import { until } from './wait.ts';

const TASKS = 1000;
const SECONDS = 60;
const EVERY_MS = SECOND;
/** From the start of the fleet to the first slot that is looked at: caches are full by then, and all tasks repeat. */
const WARM_UP_MS = 8 * SECOND;
/** The last slots may end in peace. */
const REST_MS = 4 * SECOND;

const LANES = [
  { name: 'delayed jobs', repeatableUpToMs: 0 },
  { name: 'repeatable jobs', repeatableUpToMs: EVERY_MS },
];

/**
 * Tasks that run every second, spread over it, by each of the two lanes in turn. Looks in the ledger whether each slot
 * has exactly one row and each row was started once, and how late.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const [seconds = SECONDS, tasks = TASKS] = args.map(Number);
  const servers = await startServers();
  try {
    for (const lane of LANES) {
      const found = await measure(servers, { ...lane, seconds, tasks });
      process.stdout.write(`${tasks} tasks every ${EVERY_MS} ms for ${seconds} s, ${lane.name}: ${describe(found)}\n`);
      if (found.gaps + found.twice + found.unstarted > 0) process.exitCode = 1;
    }
  } finally {
    await servers.stop();
  }
  return {};
}

interface Found {
  rows: number;
  gaps: number;
  twice: number;
  unstarted: number;
  missed: number;
  skipped: number;
  /** Started later than half the interval: a misfire, if the tasks did not say otherwise. */
  misfires: number;
  /** Processor time of the worker's process for each row, planner and servers apart. Microseconds. */
  workerUs: number;
  lateness: number[];
}

function describe({ lateness, ...found }: Found): string {
  const sorted = lateness.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(0);
  return [
    `${found.rows} rows, ${found.gaps} slots without a row, ${found.twice} started twice`,
    `${found.unstarted} never started, ${found.skipped} skipped, ${found.missed} missed, ${found.misfires} later than half the interval`,
    `worker ${found.workerUs.toFixed(0)} us a run`,
    `late by ms: p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}`,
  ].join('; ');
}

async function measure(
  servers: BenchServers,
  { repeatableUpToMs, seconds, tasks }: { repeatableUpToMs: number; seconds: number; tasks: number },
): Promise<Found> {
  await clearTables(servers);
  const fleet = await startFleet(servers, { repeatableUpToMs });
  fleet.count.record();
  const now = Math.ceil(systemClock.now().getTime() / SECOND) * SECOND;
  await insertTasks(fleet.db, tasks, (index) => {
    const phaseMs = Math.floor((index * EVERY_MS) / tasks);
    return { spec: { kind: 'every', everyMs: EVERY_MS, phaseMs }, nextRunAt: new Date(now + 2 * SECOND + phaseMs) };
  });
  const from = new Date(now + WARM_UP_MS);
  const to = new Date(now + WARM_UP_MS + seconds * SECOND);
  await until(from.getTime());
  const workerUs = () => fleet.workers.reduce((sum, { pid }) => sum + cpuUsOf(pid), 0);
  const before = workerUs();
  await until(to.getTime());
  const usedUs = workerUs() - before;
  await until(to.getTime() + REST_MS);
  const starts = new Map<string, number>();
  for (const [id] of await fleet.count.starts()) starts.set(id, (starts.get(id) ?? 0) + 1);
  const found = await judge(fleet.db.pool, { from, to, slots: tasks * seconds }, starts);
  await fleet.stop();
  return { ...found, workerUs: usedUs / found.rows };
}

interface Row {
  id: string;
  state: string;
  late_ms: number | null;
}

async function judge(
  pool: { query<Each extends object>(sql: string, values: unknown[]): Promise<{ rows: Each[] }> },
  { from, to, slots }: { from: Date; to: Date; slots: number },
  starts: ReadonlyMap<string, number>,
): Promise<Omit<Found, 'workerUs'>> {
  const { rows } = await pool.query<Row>(
    `SELECT id, state, extract(epoch FROM started_at - due_at)::float8 * 1000 AS late_ms
     FROM run WHERE scheduled_for >= $1 AND scheduled_for < $2`,
    [from.toISOString(), to.toISOString()],
  );
  const count = (fits: (row: Row) => boolean) => rows.filter(fits).length;
  return {
    rows: rows.length,
    gaps: slots - rows.length,
    twice: count(({ id }) => (starts.get(id) ?? 0) > 1),
    unstarted: count(({ state }) => state === 'planned' || state === 'queued'),
    missed: count(({ state }) => state === 'missed'),
    skipped: count(({ state }) => state === 'skipped'),
    misfires: count(({ late_ms }) => (late_ms ?? 0) > EVERY_MS / 2),
    lateness: rows.flatMap(({ late_ms }) => (late_ms === null ? [] : [late_ms])),
  };
}
