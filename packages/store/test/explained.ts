import pg from 'pg';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../src/index.ts';

/** Rows that are read per member of a batch cost a handful of pages: the descent of each index, never a scan. */
const PAGES_PER_MEMBER = 80;

/** A partition that is still empty, or a table of a few rows, may well be read as a whole. */
const EMPTY_PAGES = 4;

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

export interface Explained {
  db: Database;
  /** The plans of the last of several calls: by then the server may have settled on a generic plan. */
  plansOf(call: (round: number) => Promise<unknown>, rounds?: number): Promise<PlanNode[]>;
  /** Forgets what was seen so far. */
  forget(): void;
}

/** Every statement, also those inside functions, reports its plan and buffers as it is carried out. */
export async function openExplained({ url, name: database }: { url: string; name: string }): Promise<Explained> {
  const plans: PlanNode[] = [];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  await client.query(`LOAD 'auto_explain'`);
  for (const [name, value] of Object.entries(settings))
    await client.query(
      `ALTER DATABASE ${client.escapeIdentifier(database)} SET ${name} = ${client.escapeLiteral(value)}`,
    );
  await client.end();
  const keepPlan = ({ message }: { message?: string | undefined }): void => {
    const at = message?.indexOf('{') ?? -1;
    if (message && at >= 0) plans.push((JSON.parse(message.slice(at)) as { Plan: PlanNode }).Plan);
  };
  const db = openDatabase({ url, applicationName: 'plans', connections: 1 });
  for (const pool of [db.hot, db.pool, db.pulse]) pool.on('connect', (each) => void each.on('notice', keepPlan));
  let stillTables: Promise<void> | undefined;
  return {
    db,
    async plansOf(call, rounds = 7) {
      stillTables ??= keepAutovacuumOut(url);
      await stillTables;
      for (let round = 0; round < rounds; round++) {
        plans.length = 0;
        await call(round);
      }
      return [...plans];
    },
    forget() {
      plans.length = 0;
    },
  };
}

/** Where an ANALYZE is at work, the next call plans anew, and the pages of catalogs that it reads for that count with those of the plan. */
async function keepAutovacuumOut(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    DO $$ DECLARE of_rows regclass; BEGIN
      FOR of_rows IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', of_rows);
      END LOOP;
    END $$`);
  await client.end();
}

export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

export function pagesOf(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
}

/** How many rows a scan has read, also those that its filter took out. */
export function rowsReadBy(node: PlanNode): number {
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1);
}

export function expectIndexed(found: readonly PlanNode[], members: number): void {
  expect(found.length).toBeGreaterThan(0);
  for (const plan of found) {
    const scans = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan' && pagesOf(node) > EMPTY_PAGES);
    expect(scans.map((node) => node['Relation Name'])).toEqual([]);
    expect(pagesOf(plan)).toBeLessThan(PAGES_PER_MEMBER * members);
  }
}
