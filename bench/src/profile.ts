import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@escapement/store';
import { tableOf } from './table.ts';

const TOP = 25;
const QUERY_CHARACTERS = 200;

export interface Profiles {
  /** Forgets what was counted before. */
  start(): Promise<void>;
  /** Postgres' time by statement, for each of so many runs. */
  statements(runs: number): Promise<string>;
  /** Processor time of the processes that have ended, by function; what each process is called, by its id. */
  functions(names: ReadonlyMap<number, string>): Promise<string>;
}

/** Where the time goes: statements by pg_stat_statements, functions by the profiles that node writes into the folder. */
export function profiles(db: Database, dir: string): Profiles {
  return {
    start: () => forgetStatements(db),
    statements: (runs) => statementTable(db, runs),
    async functions(names) {
      const files = (await readdir(dir)).filter((file) => file.endsWith('.cpuprofile')).sort();
      const tables = await Promise.all(files.map((file) => functionTable(join(dir, file), titleOf(file, names))));
      return tables.join('');
    },
  };
}

export async function forgetStatements(db: Database): Promise<void> {
  await db.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await db.pool.query('SELECT pg_stat_statements_reset()');
}

interface StatementRow {
  us: number;
  planUs: number;
  calls: number;
  rows: number;
  wal: number;
  buffers: number;
  nested: boolean;
  query: string;
}

/** Postgres' time by statement, for each of so many runs, or of whatever else. */
export async function statementTable(db: Database, runs: number): Promise<string> {
  const { rows } = await db.pool.query<StatementRow>(
    `SELECT total_exec_time * 1000 / $1::float8 AS us, total_plan_time * 1000 / $1::float8 AS "planUs", calls / $1::float8 AS calls, rows::float8 / greatest(calls, 1) AS rows,
       wal_bytes::float8 / $1::float8 AS wal,
       (shared_blks_hit + shared_blks_read) / $1::float8 AS buffers,
       NOT toplevel AS nested, left(regexp_replace(query, '\\s+', ' ', 'g'), $2) AS query
     FROM pg_stat_statements ORDER BY total_exec_time + total_plan_time DESC LIMIT $3`,
    [runs, QUERY_CHARACTERS, TOP],
  );
  const lines = rows.map(({ us, planUs, calls, rows: each, wal, buffers, nested, query }) => [
    `${nested ? '  in it: ' : ''}${query}`,
    ...[us, planUs, calls, each, wal, buffers].map((value) => value.toFixed(value < 10 ? 2 : 0)),
  ]);
  return `\n${tableOf([['statement, each run', 'us', 'planned us', 'calls', 'rows a call', 'WAL B', 'buffers'], ...lines])}`;
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Node calls them CPU.date.time.process.thread.number. */
function titleOf(file: string, names: ReadonlyMap<number, string>): string {
  const [pid, thread] = file.split('.').slice(3, 5);
  return `${names.get(Number(pid)) ?? 'another call'}${thread === '0' ? '' : `, thread ${thread}`} (${file})`;
}

async function functionTable(file: string, title: string): Promise<string> {
  const profile: CpuProfile = JSON.parse(await readFile(file, 'utf8'));
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spentUs = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '';
    spentUs.set(name, (spentUs.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  spentUs.delete('(idle)');
  const totalUs = [...spentUs.values()].reduce((sum, us) => sum + us, 0);
  const top = [...spentUs].sort(([, a], [, b]) => b - a).slice(0, TOP);
  const lines = top.map(([name, us]) => [name, `${((100 * us) / totalUs).toFixed(1)} %`, (us / 1000).toFixed(0)]);
  return `\n${tableOf([[title, 'share', 'ms'], ...lines])}`;
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const place = url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*?\/(packages|apps|bench)\//, '$1/');
  return `${functionName || '(anonymous)'} ${place === '' ? '' : `${place}:${lineNumber + 1}`}`.trim();
}
