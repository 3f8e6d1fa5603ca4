import { parseArgs } from 'node:util';
import { SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { startFleet } from './fleet.ts';
import { insertTasks } from './insert-tasks.ts';
import { createMeter } from './meter.ts';
import { roundTable } from './round-table.ts';
import { startServers } from './servers.ts';
import { figure, tableOf } from './table.ts';
import type { Figures } from './targets.ts';
import { until } from './wait.ts';

const SECONDS = 180;
const RATE = 50;
/** Weeks of a ledger that keeps its runs for three months, beside those that a new one has. */
const MORE_WEEKS = 12;
const WARM_UP_MS = 20_000;
const SHOWN = 12;

/**
 * `steady [SECONDS] [--rate N] [--weeks N]`: what a run costs while minutes pass: autovacuum comes by every minute, and what it changes has
 * Postgres plan statements anew on each connection, the longer the more partitions there are. And how often, for how long.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rate: { type: 'string' }, weeks: { type: 'string' } },
  });
  const [seconds, rate] = [Number(positionals[0] ?? SECONDS), Number(values.rate ?? RATE)];
  const servers = await startServers({ postgresSettings: ['pg_stat_statements.track_planning=on'] });
  try {
    const fleet = await startFleet(servers);
    const { db } = fleet;
    await makeWeeks(db, Number(values.weeks ?? MORE_WEEKS));
    const meter = await createMeter(servers, db, {
      worker: fleet.workers.map(({ pid }) => pid),
      scheduler: [fleet.scheduler.pid],
    });
    const first = Math.ceil(systemClock.now().getTime() / SECOND) * SECOND + 3 * SECOND;
    await insertTasks(db, rate, (index) => {
      const phaseMs = Math.floor((index * SECOND) / rate);
      return { spec: { kind: 'every', everyMs: SECOND, phaseMs }, nextRunAt: new Date(first + phaseMs) };
    });
    await until(first + WARM_UP_MS);
    await db.pool.query('SELECT pg_stat_statements_reset()');
    const started = await meter.start();
    await until(first + WARM_UP_MS + seconds * SECOND);
    const usage = await meter.usage(started, await meter.end());
    const runs = rate * seconds;
    process.stdout.write(
      `\n${roundTable([{ name: `${rate}/s`, rounds: [{ runs, tookMs: seconds * SECOND, usage }] }])}`,
    );
    process.stdout.write(await plansTable(db, { runs, postgresUs: usage.cpuUs.postgres }));
    meter.close();
    await fleet.stop();
    return {};
  } finally {
    await servers.stop();
  }
}

async function makeWeeks(db: Database, count: number): Promise<void> {
  for (const table of ['run', 'attempt'])
    for (let week = 4; week < 4 + count; week++)
      await db.pool.query(`SELECT make_partition($1, now() + $2 * interval '7 days')`, [table, week]);
}

interface Planned {
  text: string;
  plans: number;
  ms: number;
}

async function plansTable(db: Database, { runs, postgresUs }: { runs: number; postgresUs: number }): Promise<string> {
  const { rows } = await db.pool.query<Planned>(
    `SELECT regexp_replace(left(query, 400), E'\\s+', ' ', 'g') AS text, plans::float8 AS plans, total_plan_time AS ms
     FROM pg_stat_statements WHERE plans > 0 ORDER BY total_plan_time DESC`,
  );
  const [plans, ms] = [sum(rows.map((row) => row.plans)), sum(rows.map((row) => row.ms))];
  const line = ({ text, plans, ms }: Planned) => [text.slice(0, 90), String(plans), figure(ms), figure(ms / plans, 1)];
  return (
    `\nstatements were planned ${plans} times, ${figure(plans / runs, 3)} times a run: ${figure((ms * 1000) / runs)} us a run, ` +
    `${figure((100 * ms * 1000) / postgresUs)} % of Postgres' processor time\n\n` +
    tableOf([['statement', 'planned', 'ms in all', 'ms each'], ...rows.slice(0, SHOWN).map(line)])
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
