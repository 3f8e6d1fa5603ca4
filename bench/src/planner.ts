import { parseArgs } from 'node:util';
import { SECOND, systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { PATIENT, startScheduler } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { makeDue } from './make-due.ts';
import { createMeter } from './meter.ts';
import { profiles } from './profile.ts';
import { roundTable } from './round-table.ts';
import { type Round, YEARLY } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const TASKS = 1_000_000;
const DUE = 50_000;
const ROUNDS = 3;
const LOOK_MS = 50;
/** Each so manyth of them, from a different one on in each round. */
const SPREAD = "split_part(name, '-', 2)::integer % $1 = $2";

interface Options {
  tasks: number;
  due: number;
  profileDir: string | undefined;
}

/**
 * `planner [TASKS] [DUE] [--profile DIR]`: occurrences that one scheduler plans a second, with so many tasks in the table and so many of
 * them, spread over it, due at once. No worker. The scheduler queues them too, as it does in life.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { profile: { type: 'string' } },
  });
  const tasks = Number(positionals[0] ?? TASKS);
  const due = Number(positionals[1] ?? DUE);
  const profileDir = values.profile;
  if (due * (ROUNDS + 1) > tasks)
    throw new Error(`of ${tasks} tasks ${due} cannot be due in each of ${ROUNDS + 1} rounds: give more tasks`);
  const servers = await startServers({ nestedStatements: profileDir !== undefined });
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  try {
    const rounds = await measure(servers, db, { tasks, due, profileDir });
    process.stdout.write(`\n${roundTable([{ name: 'an occurrence', rounds }])}`);
    return { planner: median(rounds.map(({ runs, tookMs }) => (runs * SECOND) / tookMs)) };
  } finally {
    await db.close();
    await servers.stop();
  }
}

async function measure(servers: BenchServers, db: Database, { tasks, due, profileDir }: Options): Promise<Round[]> {
  const filledMs = systemClock.monotonicMs();
  await insertTasks(db, tasks, () => ({ spec: YEARLY, nextRunAt: NEVER }));
  await db.pool.query('VACUUM ANALYZE');
  process.stdout.write(
    `${tasks} tasks, inserted in ${((systemClock.monotonicMs() - filledMs) / SECOND).toFixed(0)} s\n`,
  );
  const profiling = profileDir === undefined ? undefined : profiles(db, profileDir);
  const scheduler = await startScheduler(servers, { profileDir });
  const meter = await createMeter(servers, db, { scheduler: [scheduler.pid] });
  const rounds: Round[] = [];
  await profiling?.start();
  for (let round = 0; round <= ROUNDS; round++) {
    const { from, startedMs } = await makeDue(db, meter, SPREAD, [Math.floor(tasks / due), round]);
    await planned(db, due);
    const tookMs = systemClock.now().getTime() - startedMs;
    const usage = await meter.usage(from, await meter.end());
    await end(db);
    // In the first round the scheduler also does what it does once an hour, and compiles its code.
    if (round > 0) rounds.push({ runs: due, tookMs, usage });
  }
  const { rows } = await db.pool.query<{ runs: number }>('SELECT count(*)::integer AS runs FROM run');
  if (rows[0]?.runs !== (ROUNDS + 1) * due) throw new Error(`${rows[0]?.runs} rows of ${(ROUNDS + 1) * due} were made`);
  meter.close();
  process.stdout.write((await profiling?.statements(due * (ROUNDS + 1))) ?? '');
  await scheduler.stop();
  process.stdout.write((await profiling?.functions(new Map([[scheduler.pid, 'scheduler']]))) ?? '');
  return rounds;
}

/** Waits until so many rows are queued. It counts seldom until nearly all are: counting takes time from what is measured. */
async function planned(db: Database, due: number): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  for (;;) {
    const { rows } = await db.pool.query<{ queued: number }>(
      `SELECT count(*)::integer AS queued FROM run WHERE state = 'queued'`,
    );
    const queued = rows[0]?.queued ?? 0;
    if (queued >= due) return;
    const leftMs = ((due - queued) * (systemClock.monotonicMs() - startedMs)) / Math.max(queued, 1);
    await new Promise((resolve) => setTimeout(resolve, Math.min(SECOND, Math.max(LOOK_MS, leftMs / 2))));
  }
}

/** Ends what was planned, as workers do: else the scheduler looks at a backlog that grows with each round. */
async function end(db: Database): Promise<void> {
  await db.pool.query(
    `UPDATE run SET state = 'succeeded', attempt = 1, worker = 'bench', slot = 1, fence = 1, started_at = now(), finished_at = now() WHERE state = 'queued'`,
  );
  await db.pool.query('VACUUM run');
}
