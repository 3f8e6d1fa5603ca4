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
const LOOK_MS = 100;
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
  for (let round = 0; round < ROUNDS; round++) {
    const { from, startedMs } = await makeDue(db, meter, SPREAD, [Math.floor(tasks / due), round]);
    await planned(db, (round + 1) * due);
    const tookMs = systemClock.now().getTime() - startedMs;
    rounds.push({ runs: due, tookMs, usage: await meter.usage(from, await meter.end()) });
  }
  meter.close();
  process.stdout.write((await profiling?.statements(due * ROUNDS)) ?? '');
  await scheduler.stop();
  process.stdout.write((await profiling?.functions(new Map([[scheduler.pid, 'scheduler']]))) ?? '');
  return rounds;
}

/** Waits until so many rows are in the ledger. */
async function planned(db: Database, runs: number): Promise<void> {
  for (;;) {
    const { rows } = await db.pool.query<{ runs: number }>('SELECT count(*)::integer AS runs FROM run');
    if ((rows[0]?.runs ?? 0) >= runs) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
