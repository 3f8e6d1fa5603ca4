import { DAY, systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { Queue } from 'bullmq';
import { Cron } from 'croner';
import { startChild } from './children.ts';
import { PATIENT } from './fleet.ts';
import { createMeter } from './meter.ts';
import { RAW_JOB } from './raw-rounds.ts';
import type { ReferenceWorkerInput } from './reference-worker-process.ts';
import type { Round } from './rounds.ts';
import type { BenchServers } from './servers.ts';
import { countOf } from './tally.ts';

const QUEUE = { queue: 'reference', prefix: '{reference}' };
const CHUNK = 500;
/** Chunks whose jobs may be under way to Redis while the next is planned. */
const AHEAD = 2;

/**
 * The pipeline that a team writes by hand, as durable as ours: tasks and runs in Postgres, BullMQ between them, a lock for each key, nothing that
 * mends what a fault leaves behind. This process plans, a worker in a process of its own runs.
 */
export async function referenceRounds(
  servers: BenchServers,
  { runs, rounds, concurrency }: { runs: number; rounds: number; concurrency: number },
): Promise<Round[]> {
  const { databaseUrl, redisUrl } = servers;
  const db = openDatabase({ url: databaseUrl, applicationName: 'bench', ...PATIENT });
  await db.pool.query(TABLES);
  await db.pool.query(TASKS, [runs]);
  const queue = new Queue(QUEUE.queue, { connection: { url: redisUrl }, prefix: QUEUE.prefix });
  const input: ReferenceWorkerInput = { databaseUrl, redisUrl, ...QUEUE, concurrency };
  const worker = await startChild('./reference-worker-process.js', input);
  const meter = await createMeter(servers, db, { worker: [worker.pid], adder: [process.pid] });
  const count = countOf([worker]);
  const measured: Round[] = [];
  // The first round is there to warm up.
  for (let round = 0; round <= rounds; round++) {
    await db.pool.query(`UPDATE reference_task SET next_run_at = now()`);
    await db.pool.query('VACUUM ANALYZE reference_task, reference_run');
    const from = await meter.start();
    const startedMs = systemClock.now().getTime();
    await planAll(db, queue);
    const tookMs = (await count.finished(runs)) - startedMs;
    measured.push({ runs, tookMs, usage: await meter.usage(from, await meter.end()) });
  }
  meter.close();
  await worker.stop();
  await queue.obliterate({ force: true });
  await queue.close();
  await db.close();
  return measured.slice(1);
}

const TABLES = `
CREATE TABLE reference_task (id bigint PRIMARY KEY, key text NOT NULL, cron text NOT NULL, zone text NOT NULL, enabled boolean NOT NULL,
  next_run_at timestamptz, last_run_at timestamptz);
CREATE INDEX ON reference_task (next_run_at) WHERE enabled AND next_run_at IS NOT NULL;
CREATE TABLE reference_run (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task_id bigint NOT NULL, due_at timestamptz NOT NULL,
  state smallint NOT NULL DEFAULT 0, started_at timestamptz, finished_at timestamptz) WITH (fillfactor = 50);
CREATE UNIQUE INDEX ON reference_run (task_id, due_at)`;

const TASKS = `INSERT INTO reference_task SELECT n, 'task-' || n, '*/5 * * * *', 'UTC', true, NULL, NULL FROM generate_series(1, $1::integer) n`;

interface DueTask {
  id: string;
  key: string;
  cron: string;
  zone: string;
  next_run_at: Date;
}

async function planAll(db: Database, queue: Queue): Promise<void> {
  const now = systemClock.now();
  const adding: Promise<unknown>[] = [];
  for (;;) {
    const jobs = await planChunk(db, now);
    if (jobs.length === 0) break;
    adding.push(
      queue.addBulk(jobs.map((data) => ({ name: 'run', data, opts: { ...RAW_JOB, jobId: `r${data.run}` } }))),
    );
    if (adding.length > AHEAD) await adding.shift();
  }
  await Promise.all(adding);
}

async function planChunk(db: Database, now: Date): Promise<{ run: string; key: string }[]> {
  const link = await db.hot.connect();
  try {
    await link.query('BEGIN');
    const { rows } = await link.query<DueTask>({ name: 'reference_due', text: DUE, values: [now, CHUNK] });
    const nexts = nextRuns(rows, now);
    const values = [rows.map(({ id }) => id), rows.map((row) => row.next_run_at.toISOString()), nexts];
    const planned = await link.query<{ id: string; task_id: string }>({ name: 'reference_plan', text: PLAN, values });
    await link.query('COMMIT');
    const keys = new Map(rows.map(({ id, key }) => [id, key]));
    return planned.rows.map(({ id, task_id: task }) => ({ run: id, key: keys.get(task) ?? '' }));
  } finally {
    link.release();
  }
}

/** Each schedule is asked once. A year is added, so that no task is due again in the round. */
function nextRuns(tasks: readonly DueTask[], now: Date): string[] {
  const known = new Map<string, string>();
  return tasks.map(({ cron, zone }) => {
    const schedule = `${cron} ${zone}`;
    const next =
      known.get(schedule) ?? afterAYear(new Cron(cron, { timezone: zone, paused: true }).nextRun(now) ?? now);
    known.set(schedule, next);
    return next;
  });
}

function afterAYear(at: Date): string {
  return new Date(at.getTime() + 366 * DAY).toISOString();
}

const DUE = `SELECT id::text, key, cron, zone, next_run_at FROM reference_task
WHERE enabled AND next_run_at IS NOT NULL AND next_run_at <= $1 ORDER BY next_run_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const PLAN = `
WITH moved AS (
  UPDATE reference_task t SET next_run_at = i.next_at, last_run_at = i.due_at
  FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS i(id, due_at, next_at) WHERE t.id = i.id
)
INSERT INTO reference_run (task_id, due_at) SELECT * FROM unnest($1::bigint[], $2::timestamptz[]) RETURNING id::text, task_id::text`;
