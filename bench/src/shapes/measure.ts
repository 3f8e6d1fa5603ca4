import { newRunId, SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { cpuUsOfFamily } from '../cpu.ts';
import { median } from '../table.ts';
import { keyOf } from './history.ts';
import type { Shape, ShapeRun, StepName } from './shape.ts';

/** What a run costs in a shape. */
export interface Cost {
  /** Processor time of Postgres. Microseconds. */
  cpuUs: number;
  walBytes: number;
  steps: ReadonlyMap<StepName, number>;
}

export interface MeasureOptions {
  db: Database;
  postgresPid: number;
  tasks: readonly { id: string; name: string }[];
  /** Runs that one statement begins, or ends. */
  batch: number;
}

/** The planner moves more at once than a worker begins. */
const LEAST_PLANNED = 250;
let lastMs = 0;
let keys = 0;

/** A run of each task, in an order that is not that of the tasks. The instant is one that no run had before. */
function runsOf(tasks: MeasureOptions['tasks']): ShapeRun[] {
  lastMs = Math.max(lastMs + 1, systemClock.now().getTime() - SECOND);
  keys += 1;
  const at = new Date(lastMs);
  return tasks.map(({ id, name }) => ({ id: newRunId(at), taskId: id, key: keyOf(name, keys), at }));
}

/** Plans, begins and ends a run of each task. */
export async function measureShape(shape: Shape, { db, postgresPid, tasks, batch }: MeasureOptions): Promise<Cost> {
  const runs = runsOf(tasks);
  const steps = new Map<StepName, number>();
  const from = await positionOf(db);
  for (const { name, work } of shape.steps) {
    const size = name === 'plan' ? Math.max(batch, LEAST_PLANNED) : name === 'fold' ? runs.length : batch;
    const fromUs = cpuUsOfFamily(postgresPid);
    for (let at = 0; at < runs.length; at += size) await work(runs.slice(at, at + size));
    steps.set(name, (cpuUsOfFamily(postgresPid) - fromUs) / runs.length);
  }
  const walBytes = (await bytesSince(db, from)) / runs.length;
  return { cpuUs: [...steps.values()].reduce((sum, each) => sum + each, 0), walBytes, steps };
}

export function medianCost(costs: readonly Cost[]): Cost {
  const names = [...(costs[0]?.steps.keys() ?? [])];
  return {
    cpuUs: median(costs.map(({ cpuUs }) => cpuUs)),
    walBytes: median(costs.map(({ walBytes }) => walBytes)),
    steps: new Map(names.map((name) => [name, median(costs.map(({ steps }) => steps.get(name) ?? Number.NaN))])),
  };
}

/** How long the newest runs of a task take to read. Milliseconds; NaN where nothing reads them. */
export async function newestMs(shape: Shape, tasks: MeasureOptions['tasks']): Promise<number> {
  if (!shape.newest) return Number.NaN;
  const took: number[] = [];
  for (const { id } of tasks.slice(0, 50)) {
    const startedMs = systemClock.monotonicMs();
    await shape.newest(id);
    took.push(systemClock.monotonicMs() - startedMs);
  }
  return median(took);
}

/** What a run costs where the indexes of a whole partition are built at once. */
export async function sealCost(
  shape: Shape,
  { db, postgresPid }: MeasureOptions,
  runs: number,
): Promise<Cost | undefined> {
  if (!shape.seal) return undefined;
  const from = await positionOf(db);
  const fromUs = cpuUsOfFamily(postgresPid);
  await shape.seal();
  const cpuUs = (cpuUsOfFamily(postgresPid) - fromUs) / runs;
  return { cpuUs, walBytes: (await bytesSince(db, from)) / runs, steps: new Map() };
}

async function positionOf(db: Database): Promise<string> {
  const { rows } = await db.pool.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
  return rows[0]?.lsn ?? '0/0';
}

async function bytesSince(db: Database, lsn: string): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::pg_lsn)::float8 AS bytes',
    [lsn],
  );
  return rows[0]?.bytes ?? Number.NaN;
}
