import { SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { clearTables, startFleet } from './fleet.ts';
import { insertTasks } from './insert-tasks.ts';
import { RAW_JOB, startRaw } from './raw-rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { figure, quantile, tableOf } from './table.ts';
import { countOf } from './tally.ts';
import type { Figures } from './targets.ts';
import { until } from './wait.ts';

const RATES = [100, 1000];
const SECONDS = 15;
const CONCURRENCY = 100;
/** The first seconds fill caches and are left out. */
const WARM_UP_MS = 5000;
/** What is late may still start. */
const REST_MS = 2000;
/** Delayed jobs carry calendar schedules, triggers and retries; repeatable jobs steady intervals, as these tasks have. */
const LANES = [
  { lane: 'delayed jobs', repeatableUpToMs: 0 },
  { lane: 'repeatable jobs', repeatableUpToMs: SECOND },
];

/** `lateness [SECONDS]`: how late runs start at a steady rate, raw BullMQ's delayed jobs and both lanes of a fleet. */
export async function run(args: readonly string[]): Promise<Figures> {
  const seconds = Number(args[0] ?? SECONDS);
  const servers = await startServers();
  const worst = new Map<number, number>();
  const rows = [['late by ms', 'due', 'not started', 'p50', 'p95', 'p99', 'max']];
  try {
    for (const rate of RATES) {
      rows.push(rowOf(`raw BullMQ, delayed jobs, ${rate}/s`, await rawDelayed(servers, rate, seconds)));
      for (const { lane, repeatableUpToMs } of LANES) {
        const lateness = await fleetLateness(servers, { rate, seconds, repeatableUpToMs });
        rows.push(rowOf(`${lane}, ${rate}/s`, lateness));
        worst.set(rate, Math.max(worst.get(rate) ?? 0, quantile(lateness, 0.99)));
      }
    }
  } finally {
    await servers.stop();
  }
  process.stdout.write(`\n${tableOf(rows)}`);
  return { lateness100: worst.get(100) ?? Number.NaN, lateness1000: worst.get(1000) ?? Number.NaN };
}

function rowOf(name: string, lateness: readonly number[]): string[] {
  const unstarted = lateness.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
  return [
    name,
    String(lateness.length),
    String(unstarted),
    ...[0.5, 0.95, 0.99, 1].map((share) => figure(quantile(lateness, share))),
  ];
}

async function rawDelayed(servers: BenchServers, rate: number, seconds: number): Promise<number[]> {
  const { queue, worker, stop } = await startRaw(servers, CONCURRENCY);
  const count = countOf([worker]);
  const startMs = systemClock.now().getTime() + SECOND;
  const warmUp = WARM_UP_MS / SECOND;
  for (let second = 0; second < seconds + warmUp; second++) {
    await queue.addBulk(
      Array.from({ length: rate }, (_, index) => {
        const dueMs = startMs + second * SECOND + Math.floor((index * SECOND) / rate);
        const delay = Math.max(0, dueMs - systemClock.now().getTime());
        return { name: 'run', data: { runId: second * rate + index, dueMs }, opts: { ...RAW_JOB, delay } };
      }),
    );
    if (second === warmUp) await until(startMs + WARM_UP_MS).then(count.record);
    // As a planner would: some seconds ahead, not all at once.
    await until(startMs + (second - 5) * SECOND);
  }
  await until(startMs + (seconds + warmUp + 1) * SECOND);
  const starts = await count.starts();
  await stop();
  return starts.map(([, latenessMs]) => latenessMs);
}

/** What was not started at all is late without end. */
async function fleetLateness(
  servers: BenchServers,
  { rate, seconds, repeatableUpToMs }: { rate: number; seconds: number; repeatableUpToMs: number },
): Promise<number[]> {
  await clearTables(servers);
  const fleet = await startFleet(servers, { repeatableUpToMs, concurrency: CONCURRENCY });
  const first = Math.ceil(systemClock.now().getTime() / SECOND) * SECOND + 3 * SECOND;
  await insertTasks(fleet.db, rate, (index) => {
    const phaseMs = Math.floor((index * SECOND) / rate);
    return { spec: { kind: 'every', everyMs: SECOND, phaseMs }, nextRunAt: new Date(first + phaseMs) };
  });
  const from = first + WARM_UP_MS;
  const to = from + seconds * SECOND;
  await until(to + REST_MS);
  const lateness = await readLateness(fleet.db, new Date(from), new Date(to));
  await fleet.stop();
  const unstarted = Math.max(0, rate * seconds - lateness.length);
  return [...lateness, ...new Array<number>(unstarted).fill(Number.POSITIVE_INFINITY)];
}

/** Of all that was due in the time, by the ledger. */
async function readLateness(db: Database, from: Date, to: Date): Promise<number[]> {
  const { rows } = await db.pool.query<{ ms: number }>(
    `SELECT extract(epoch FROM started_at - due_at)::float8 * 1000 AS ms FROM run
     WHERE scheduled_for >= $1 AND scheduled_for < $2 AND started_at IS NOT NULL`,
    [from.toISOString(), to.toISOString()],
  );
  return rows.map(({ ms }) => ms);
}
