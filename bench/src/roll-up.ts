import { parseArgs } from 'node:util';
import { cpuUsPerRun, roundTable } from './round-table.ts';
import { type Pipeline, type Round, startPipeline } from './rounds.ts';
import { startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const TASKS = 10_000;
/** As of a task that runs every five minutes. */
const RUNS_AN_HOUR = 12;
/** Tasks in a piece, as the scheduler takes them. */
const PIECE = 500;

/**
 * `roll-up [TASKS]`: what it costs to roll up an hour of so many tasks, and to learn how long they take, a run, beside what the runs themselves cost: of tasks that run
 * once an hour, and of tasks that run twelve times.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const tasks = Number(positionals[0] ?? TASKS);
  const servers = await startServers();
  const runs: Round[] = [];
  const once: Round[] = [];
  const often: Round[] = [];
  try {
    const pipeline = await startPipeline(servers, tasks);
    await pipeline.warmUp();
    for (let round = 1; round <= RUNS_AN_HOUR; round++) {
      runs.push(await pipeline.round(tasks));
      // What warmed up is in the hour as well: its runs are read, and the rows are new.
      if (round === 1) once.push(await rollUp(pipeline, tasks));
    }
    often.push(await rollUp(pipeline, tasks));
    await pipeline.stop();
  } finally {
    await servers.stop();
  }
  const share = (rounds: readonly Round[]) => median(rounds.map(cpuUsPerRun)) / median(runs.map(cpuUsPerRun));
  process.stdout.write(
    `\n${roundTable([
      { name: 'the runs', rounds: runs },
      { name: 'rolled up, few an hour', rounds: once },
      { name: `rolled up, over ${RUNS_AN_HOUR} an hour`, rounds: often },
    ])}\nfew an hour ${percent(share(once))} %, over ${RUNS_AN_HOUR} ${percent(share(often))} % of what the runs cost\n`,
  );
  return { rollUp: percent(share(once)) };
}

function percent(share: number): number {
  return Math.round(share * 1000) / 10;
}

/** The present hour of all tasks, as if it were over, and as if it had not been rolled up. */
async function rollUp({ fleet, measure }: Pipeline, tasks: number): Promise<Round> {
  const { pool } = fleet.db;
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM task ORDER BY id LIMIT $1', [tasks]);
  const ids = rows.map(({ id }) => id);
  // As of tasks of which few runs are known: of them it learns each hour.
  await pool.query('TRUNCATE task_hour, task_duration');
  await pool.query('VACUUM ANALYZE');
  const { rows: ended } = await pool.query<{ runs: number }>(
    'SELECT count(*)::integer AS runs FROM run WHERE finished_at IS NOT NULL',
  );
  return measure(ended[0]?.runs ?? 0, async () => {
    for (let from = 0; from < ids.length; from += PIECE) {
      const piece = ids.slice(from, from + PIECE);
      await pool.query({
        name: 'bench_roll_up',
        text: `SELECT roll_up_tasks($1::uuid[], array_fill(h.hour, ARRAY[cardinality($1::uuid[])])), learn_durations($1::uuid[], h.hour)
               FROM (SELECT date_bin('1 hour', now(), 'epoch') AS hour) h`,
        values: [piece],
      });
    }
  });
}
