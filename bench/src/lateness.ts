import { systemClock } from '@escapement/core';
import { Queue, Worker } from 'bullmq';
import { type BenchServers, createFleet, insertTasks, startServers } from './fleet.ts';

const RATES = [100, 1000];
const SECONDS = 15;
/** The first seconds fill caches and are left out. */
const WARM_UP_MS = 5000;
const SECOND = 1000;
/** Delayed jobs carry calendar schedules, triggers and retries; repeatable jobs steady intervals, as these tasks have. */
const LANES = [
  { lane: 'delayed jobs', tickMs: 0 },
  { lane: 'repeatable jobs', tickMs: SECOND },
];

/** How late runs start at a steady rate: raw BullMQ delayed jobs, then the whole pipeline; stock Redis settings. */
export async function run(args: readonly string[]): Promise<void> {
  const seconds = Number(args[0] ?? SECONDS);
  const servers = await startServers();
  try {
    for (const rate of RATES) {
      print(`raw BullMQ, delayed jobs, ${rate}/s`, await rawDelayed(servers, rate, seconds));
      for (const { lane, tickMs } of LANES)
        print(`Escapement, ${lane}, ${rate}/s`, await fleetLateness(servers, { rate, seconds, tickMs }));
    }
  } finally {
    await servers.stop();
  }
}

function print(name: string, lateness: number[]): void {
  const sorted = lateness.sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0);
  process.stdout.write(
    `${name.padEnd(38)} ${String(sorted.length).padStart(6)} runs  late by ms: p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}\n`,
  );
}

async function rawDelayed(servers: BenchServers, rate: number, seconds: number): Promise<number[]> {
  const connection = { url: servers.redisUrl };
  const queue = new Queue('late', { connection, prefix: '{bench}' });
  const lateness: number[] = [];
  const startMs = systemClock.now().getTime() + SECOND;
  const worker = new Worker<{ dueMs: number }>(
    'late',
    async ({ data }) => {
      if (data.dueMs >= startMs + WARM_UP_MS) lateness.push(systemClock.now().getTime() - data.dueMs);
    },
    { connection, prefix: '{bench}', concurrency: 100 },
  );
  const total = rate * (seconds + WARM_UP_MS / SECOND);
  for (let second = 0; second * rate < total; second++) {
    const jobs = Array.from({ length: rate }, (_, index) => {
      const dueMs = startMs + second * SECOND + Math.floor((index * SECOND) / rate);
      return {
        name: 'run',
        data: { dueMs },
        opts: { delay: Math.max(0, dueMs - systemClock.now().getTime()), removeOnComplete: true },
      };
    });
    await queue.addBulk(jobs);
    // As a planner would: some seconds ahead, not all at once.
    await until(startMs + (second - 5) * SECOND);
  }
  await until(startMs + (total / rate + 1) * SECOND);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return lateness;
}

async function fleetLateness(
  servers: BenchServers,
  { rate, seconds, tickMs }: { rate: number; seconds: number; tickMs: number },
): Promise<number[]> {
  const lateness: number[] = [];
  let measuring = false;
  const fleet = createFleet(servers, {
    tickMs,
    concurrency: 100,
    handler: async () => ({ status: 'succeeded' }),
    onEvent: (event) => {
      if (event.event === 'run_started' && measuring) lateness.push(event.latenessMs);
    },
  });
  await fleet.db.pool.query('TRUNCATE task, run, key_slot, gate, process CASCADE');
  await fleet.start();
  const first = Math.ceil(systemClock.now().getTime() / SECOND) * SECOND + 3 * SECOND;
  await insertTasks(fleet.db, rate, (index) => {
    const phaseMs = Math.floor((index * SECOND) / rate);
    return { spec: { kind: 'every', everyMs: SECOND, phaseMs }, nextRunAt: new Date(first + phaseMs) };
  });
  await until(first + WARM_UP_MS);
  measuring = true;
  await until(first + WARM_UP_MS + seconds * SECOND);
  measuring = false;
  await fleet.stop();
  return lateness;
}

async function until(instantMs: number): Promise<void> {
  const waitMs = instantMs - systemClock.now().getTime();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
