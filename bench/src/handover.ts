import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openDatabase } from '@escapement/store';
import { type BenchServers, insertTasks, startServers } from './fleet.ts';
import { insertLine } from './line.ts';

const RUNS = 300;
const WORKERS = 2;
/** Long enough that all others are in line before the first one ends. */
const FIRST_MS = 4000;
const EACH_MS = 25;

/**
 * How long a key lies idle between the end of a run and the start of the next one in line: `wait-all`, one key, worker
 * processes that do nothing else. From the write that ends a run (its transaction's start, by Postgres' clock) to the
 * handler of the next one (by the clock of the worker's process, on the same machine).
 */
export async function run(args: readonly string[]): Promise<void> {
  const runs = Number(args[0] ?? RUNS);
  const servers = await startServers();
  const children: ChildProcess[] = [];
  try {
    for (let index = 0; index < WORKERS; index++) children.push(await child('./waiting-worker.ts', servers, index));
    children.push(await child('./scheduler-process.ts', servers));
    print(await measure(servers, runs));
  } finally {
    for (const each of children) if (each.connected) each.disconnect();
    await Promise.all(children.map((each) => (each.exitCode === null ? once(each, 'exit') : undefined)));
    await servers.stop();
  }
}

async function child(file: string, { databaseUrl, redisUrl }: BenchServers, index = 0): Promise<ChildProcess> {
  const started = fork(new URL(file, import.meta.url), [databaseUrl, redisUrl, String(index), String(EACH_MS)]);
  await once(started, 'message');
  return started;
}

async function measure({ databaseUrl }: BenchServers, runs: number): Promise<number[]> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'bench' });
  try {
    await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: null }), 'wait-all');
    await insertLine(db, runs, FIRST_MS);
    for (;;) {
      const { rows } = await db.pool.query<{ open: number }>(
        'SELECT count(*)::integer AS open FROM run WHERE finished_at IS NULL',
      );
      if (rows[0]?.open === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const { rows } = await db.pool.query<{ gap: number }>(
      `SELECT (output->>'startedMs')::float8
         - lag(extract(epoch FROM finished_at) * 1000) OVER (ORDER BY scheduled_for, id)::float8 AS gap
       FROM run ORDER BY scheduled_for, id OFFSET 2`,
    );
    return rows.map(({ gap }) => gap);
  } finally {
    await db.close();
  }
}

function print(gaps: number[]): void {
  const sorted = gaps.sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
  process.stdout.write(
    `hand-over, ${sorted.length} runs in line, ${WORKERS} workers: ms from end to start: p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}\n`,
  );
}
