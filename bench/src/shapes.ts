import { parseArgs } from 'node:util';
import { SECOND, systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { PATIENT } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { YEARLY } from './rounds.ts';
import { startServers } from './servers.ts';
import { events, openAndLedger, sixWrites } from './shapes/hand-written.ts';
import { makeHistory } from './shapes/history.ts';
import { FOLDED, NONE, spanFirst, TASK_FIRST } from './shapes/ledger-indexes.ts';
import { type Cost, type MeasureOptions, measureShape, medianCost, newestMs, sealCost } from './shapes/measure.ts';
import { openRun } from './shapes/open-run.ts';
import { product } from './shapes/product.ts';
import type { Link, Shape, StepName } from './shapes/shape.ts';
import { figure, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const DEFAULTS = { tasks: 200, weeks: 13, 'per-week': 30_000, rounds: 5, batches: '1,10,100' };
/** As many as a worker begins at once where much is due. */
const BURST_BATCH = 100;
const STEPS: readonly StepName[] = ['plan', 'look up', 'begin', 'end', 'fold'];

/** A checkpoint or a vacuum that comes by itself would be counted with what is measured. */
const SETTINGS = ['max_wal_size=16GB', 'checkpoint_timeout=1h', 'autovacuum=off'];

interface Options {
  tasks: number;
  weeks: number;
  perWeek: number;
  rounds: number;
  batches: number[];
  only: string[] | undefined;
}

/**
 * `shapes [--tasks N] [--weeks N] [--per-week RUNS] [--rounds N] [--batches 1,10,100] [--only NAME,...]`: what plan, begin and end of a run cost
 * Postgres, by the shape of the tables and the size of a batch, in a ledger that is filled: right after a checkpoint, and later.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const options = optionsOf(args);
  const servers = await startServers({ postgresSettings: SETTINGS });
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  try {
    await insertTasks(db, options.tasks, () => ({ spec: YEARLY, nextRunAt: NEVER }));
    await makeHistory(db, options);
    const link = await db.hot.connect();
    try {
      return await measureAll(db, servers.postgresPid, options, await prepared(link, db, options));
    } finally {
      link.release();
    }
  } finally {
    await db.close();
    await servers.stop();
  }
}

function optionsOf(args: readonly string[]): Options {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { tasks: option, weeks: option, 'per-week': option, rounds: option, batches: option, only: option },
  });
  return {
    tasks: Number(values.tasks ?? DEFAULTS.tasks),
    weeks: Number(values.weeks ?? DEFAULTS.weeks),
    perWeek: Number(values['per-week'] ?? DEFAULTS['per-week']),
    rounds: Number(values.rounds ?? DEFAULTS.rounds),
    batches: (values.batches ?? DEFAULTS.batches).split(',').map(Number),
    only: values.only?.split(','),
  };
}

/** The product, the three shapes, and what the open shape is with all its columns and other indexes. */
function shapesOf(link: Link, db: Database, weeks: number): Record<string, Shape> {
  const full = { keeper: 'update', indexes: TASK_FIRST, weeks, births: false } as const;
  return {
    product: product(db),
    six: sixWrites(link),
    open: openAndLedger(link),
    events: events(link),
    full: openRun(link, { ...full, prefix: 'full' }),
    births: openRun(link, { ...full, prefix: 'births', births: true }),
    upsert: openRun(link, { ...full, prefix: 'upsert', keeper: 'upsert' }),
    index: openRun(link, { ...full, prefix: 'by_index', keeper: 'index' }),
    none: openRun(link, { ...full, prefix: 'no_keeper', keeper: 'none' }),
    hour: openRun(link, { ...full, prefix: 'hour', indexes: spanFirst('hour') }),
    day: openRun(link, { ...full, prefix: 'day', indexes: spanFirst('day') }),
    folded: openRun(link, { ...full, prefix: 'folded', indexes: FOLDED }),
    bare: openRun(link, { ...full, prefix: 'bare', indexes: NONE }),
  };
}

async function prepared(link: Link, db: Database, { weeks, only }: Options): Promise<Map<string, Shape>> {
  const shapes = new Map(Object.entries(shapesOf(link, db, weeks)).filter(([name]) => only?.includes(name) ?? true));
  const startedMs = systemClock.monotonicMs();
  for (const shape of shapes.values()) await shape.prepare();
  await db.pool.query('VACUUM ANALYZE');
  process.stdout.write(`tables filled in ${((systemClock.monotonicMs() - startedMs) / SECOND).toFixed(0)} s\n`);
  return shapes;
}

interface Line {
  /** As `--only` names it. */
  key: string;
  name: string;
  batch: number;
  first: Cost;
  later: Cost;
}

async function measureAll(
  db: Database,
  postgresPid: number,
  { batches, rounds, perWeek }: Options,
  shapes: ReadonlyMap<string, Shape>,
): Promise<Figures> {
  const { rows: tasks } = await db.pool.query<{ id: string; name: string }>(
    'SELECT id, name FROM task ORDER BY random()',
  );
  const lines: Line[] = [];
  for (const batch of batches) lines.push(...(await measureBatch({ db, postgresPid, tasks, batch }, rounds, shapes)));
  process.stdout.write(`\n${tableOf([HEAD, ...lines.map(cellsOf)])}`);
  for (const shape of shapes.values()) {
    const seal = await sealCost(shape, { db, postgresPid, tasks, batch: 1 }, perWeek);
    if (seal)
      process.stdout.write(
        `${shape.name}: indexes built at once: ${figure(seal.cpuUs)} us, ${figure(seal.walBytes)} B of WAL a run\n`,
      );
    const ms = await newestMs(shape, tasks);
    if (Number.isFinite(ms)) process.stdout.write(`${shape.name}: newest runs of a task in ${ms.toFixed(2)} ms\n`);
  }
  return figuresOf(lines);
}

/** The shapes take turns, so that what else the machine does meets all of them. A first round warms up. */
async function measureBatch(
  options: MeasureOptions,
  rounds: number,
  shapes: ReadonlyMap<string, Shape>,
): Promise<Line[]> {
  const costs = [...shapes].map(([key, shape]) => ({ key, shape, first: [] as Cost[], later: [] as Cost[] }));
  for (let round = 0; round <= rounds; round++) {
    await options.db.pool.query('VACUUM');
    for (const { shape, first, later } of costs) {
      await options.db.pool.query('CHECKPOINT');
      const both = [await measureShape(shape, options), await measureShape(shape, options)] as const;
      if (round === 0) continue;
      first.push(both[0]);
      later.push(both[1]);
    }
  }
  return costs.map(({ key, shape, first, later }) => {
    return { key, name: shape.name, batch: options.batch, first: medianCost(first), later: medianCost(later) };
  });
}

/** Of the product, in the batches of a burst. */
function figuresOf(lines: readonly Line[]): Figures {
  const burst = (key: string) => lines.find((line) => line.key === key && line.batch === BURST_BATCH);
  const [ours, open] = [burst('product'), burst('open')];
  if (!ours || !open) return {};
  return {
    shapesCpu: ours.later.cpuUs / open.later.cpuUs,
    shapesWalFirst: ours.first.walBytes,
    shapesWal: ours.later.walBytes,
  };
}

const HEAD = ['a run', 'batch', 'Postgres us', 'WAL B', ...STEPS, 'us after a checkpoint', 'WAL B after it'];

function cellsOf({ name, batch, first, later }: Line): string[] {
  return [
    name,
    String(batch),
    figure(later.cpuUs),
    figure(later.walBytes),
    ...STEPS.map((step) => figure(later.steps.get(step) ?? Number.NaN)),
    figure(first.cpuUs),
    figure(first.walBytes),
  ];
}
