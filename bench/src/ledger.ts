import { DAY, HOUR, SECOND, systemClock } from '@escapement/core';
import { type Database, dropOldPartitions, endedRuns, listRuns, openDatabase } from '@escapement/store';
import { fillLedger, KEYS_PER_TASK, LEDGER_TASKS } from './fill-ledger.ts';
import { PATIENT } from './fleet.ts';
import { insertTasks } from './insert-tasks.ts';
import { startServers } from './servers.ts';
import { figure, quantile, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 10_000_000;
const DAYS = 28;
const WEEK = 7 * DAY;
const LOOKS = 40;
/** A search that takes so long is not asked as often. */
const SLOW_MS = 2 * SECOND;
const SLOW_LOOKS = 3;
const PAGE = 50;

/** `ledger [RUNS]`: with so many runs of 28 days, how long people wait for a list or a search, and how long a prune takes. */
export async function run(args: readonly string[]): Promise<Figures> {
  const runs = Number(args[0] ?? RUNS);
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  try {
    await insertTasks(db, LEDGER_TASKS, () => ({ spec: { kind: 'manual' }, nextRunAt: null }));
    const to = systemClock.now();
    await fillLedger(db, { from: new Date(to.getTime() - DAYS * DAY), to, count: runs });
    await db.pool.query('VACUUM ANALYZE');
    const ledgerSearch = await searchAll(db, to);
    const ledgerPrune = await prune(db, Math.round(runs / 4));
    return { ledgerSearch, ledgerPrune };
  } finally {
    await db.close();
    await servers.stop();
  }
}

type Search = (db: Database, pick: (below: number) => number, now: Date) => Promise<unknown>;

/** As `escapement runs list` asks. */
const SEARCHES: Record<string, Search> = {
  'the latest': (db) => listRuns(db, { limit: PAGE }),
  'by task': (db, pick) => listRuns(db, { taskName: `bench-${pick(LEDGER_TASKS)}`, limit: PAGE }),
  'by state, 3 % of all': (db) => listRuns(db, { states: ['failed'], limit: PAGE }),
  'by state, none': (db) => listRuns(db, { states: ['quarantined'], limit: PAGE }),
  'by task and state': (db, pick) =>
    listRuns(db, { taskName: `bench-${pick(LEDGER_TASKS)}`, states: ['failed'], limit: PAGE }),
  'by task and state, none': (db, pick) =>
    listRuns(db, { taskName: `bench-${pick(LEDGER_TASKS)}`, states: ['quarantined'], limit: PAGE }),
  'by time, an hour': (db, pick, now) => {
    const since = new Date(now.getTime() - pick(DAYS * DAY - HOUR) - HOUR);
    return listRuns(db, { since, until: new Date(since.getTime() + HOUR), limit: PAGE });
  },
  'by time and state': (db, pick, now) => {
    const since = new Date(now.getTime() - pick(DAYS * DAY - HOUR) - HOUR);
    return listRuns(db, { since, until: new Date(since.getTime() + HOUR), states: ['missed'], limit: PAGE });
  },
  'by key': (db, pick) => listRuns(db, { key: `bench-${pick(LEDGER_TASKS)}:${pick(KEYS_PER_TASK)}`, limit: PAGE }),
  'by origin, none': (db) => listRuns(db, { origins: ['rerun'], limit: PAGE }),
  'by task and origin, none': (db, pick) =>
    listRuns(db, { taskName: `bench-${pick(LEDGER_TASKS)}`, origins: ['rerun'], limit: PAGE }),
  'ended of late': (db, _, now) => endedRuns(db, {}, { since: now, after: undefined, limit: PAGE }),
  'by key, none': (db) => listRuns(db, { key: 'nobody', limit: PAGE }),
};

/** The p95 of the slowest. Milliseconds. */
async function searchAll(db: Database, now: Date): Promise<number> {
  const rows = [['search, ms', 'times', 'p50', 'p95', 'max']];
  let slowest = 0;
  for (const [name, search] of Object.entries(SEARCHES)) {
    const took = await timesOf(() => search(db, pick, now));
    slowest = Math.max(slowest, quantile(took, 0.95));
    rows.push([name, String(took.length), ...[0.5, 0.95, 1].map((share) => figure(quantile(took, share), 1))]);
  }
  process.stdout.write(`\n${tableOf(rows)}`);
  return slowest;
}

function pick(below: number): number {
  return Math.floor(Math.random() * below);
}

async function timesOf(search: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  while (took.length < (quantile(took, 0.5) > SLOW_MS ? SLOW_LOOKS : LOOKS)) took.push(await timed(search));
  return took;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startedMs;
}

/** How much longer a week takes to be pruned than one with a tenth of its runs. Both are past every retention. */
async function prune(db: Database, runs: number): Promise<number> {
  const to = new Date(Math.floor(systemClock.now().getTime() / WEEK) * WEEK - 8 * WEEK);
  const took: number[] = [];
  for (const count of [Math.round(runs / 10), runs]) {
    await fillLedger(db, { from: new Date(to.getTime() - WEEK), to, count });
    let dropped: string[] = [];
    const ms = await timed(async () => {
      dropped = (await dropOldPartitions(db)).names;
    });
    process.stdout.write(
      `prune: ${dropped.join(', ') || 'nothing'} dropped with ${count} runs in ${ms.toFixed(0)} ms\n`,
    );
    took.push(dropped.length === 0 ? Number.NaN : ms);
  }
  const [tenth = Number.NaN, whole = Number.NaN] = took;
  return whole / tenth;
}
