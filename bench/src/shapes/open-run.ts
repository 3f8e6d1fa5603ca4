import { randomUUID } from 'node:crypto';
import { BEGINS, type Keeper, type Tables } from './begin-open-run.ts';
import type { LedgerIndexes } from './ledger-indexes.ts';
import { KEPT, makeOpenRunTables } from './open-run-tables.ts';
import { ids, type Link, planned, type Shape, type ShapeRun, type Step, statement } from './shape.ts';

export interface OpenRunOptions {
  prefix: string;
  keeper: Keeper;
  indexes: LedgerIndexes;
  weeks: number;
  /** Whether each planned run is looked up in the ledger, after it is inserted. */
  births: boolean;
}

/** The tables that decision 108 wants, with all columns of a run and the conditions that a begin asks of the row itself. */
export function openRun(link: Link, { prefix, keeper, indexes, weeks, births }: OpenRunOptions): Shape {
  const tables = {
    open: `${prefix}_open_run`,
    ledger: `${prefix}_run`,
    slot: `${prefix}_slot`,
    plan: `${prefix}_plan`,
  };
  const newest = indexes.newest?.(tables.ledger);
  const seal = indexes.seal?.(`${tables.ledger}_${weeks - 1}`);
  return {
    name: `open_run: ${keeper}, ${indexes.name}${births ? ', births' : ''}`,
    async prepare() {
      await makeOpenRunTables(link, prefix, weeks);
      if (keeper === 'index') await link.query(`CREATE UNIQUE INDEX ON ${tables.open} (namespace, key) WHERE holds`);
      await link.query(indexes.make(tables.ledger));
    },
    steps: [
      planStep(link, tables, births),
      statement(link, {
        ...{ step: 'begin', name: `${prefix}_begin`, text: BEGINS[keeper](tables) },
        values: (runs) => [ids(runs), runs.map(() => 1), runs.map(() => randomUUID()), 'worker-1', 'default'],
      }),
      statement(link, {
        ...{ step: 'end', name: `${prefix}_end`, text: END(tables) },
        values: (runs) => [ids(runs), runs.map(() => 1), runs.map(() => randomUUID()), 'default'],
      }),
      ...(indexes.fold ? [indexes.fold(link, tables.ledger)] : []),
    ],
    ...(seal === undefined ? {} : { seal: async () => void (await link.query(seal)) }),
    ...(newest === undefined
      ? {}
      : {
          newest: async (taskId) =>
            void (await link.query({ name: `${prefix}_newest`, text: newest, values: [taskId] })),
        }),
  };
}

/** The second look has a snapshot of its own: it sees an end for which the insert had to wait. */
function planStep(link: Link, tables: Tables, births: boolean): Step {
  const insert = statement(link, { step: 'plan', name: `${tables.open}_plan`, text: PLAN(tables), values: planned });
  const look = statement(link, {
    ...{
      step: 'plan',
      name: `${tables.open}_births`,
      rows: () => 0,
      values: (runs: readonly ShapeRun[]) => [ids(runs)],
    },
    text: `SELECT FROM unnest($1::uuid[]) AS i(id) JOIN ${tables.ledger} r ON r.id = ANY (ARRAY[i.id])`,
  });
  if (!births) return insert;
  return {
    name: 'plan',
    async work(runs) {
      await link.query('BEGIN');
      await insert.work(runs);
      await look.work(runs);
      await link.query('COMMIT');
    },
  };
}

const PLAN = ({ open, plan }: Tables) => `
WITH moved AS (
  UPDATE ${plan} p SET seq = p.seq + 1, next_at = i.at FROM unnest($2::uuid[], $3::timestamptz[]) AS i(task_id, at)
  WHERE p.task_id = ANY (ARRAY[i.task_id])
)
INSERT INTO ${open} (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, phase, key, key_limit, overlap, pool, due_at,
  dispatch, watched)
SELECT i.id, i.at, 'default', i.task_id, 1, 1, 'schedule', 'queued', 'due', i.key, 1, 'skip', 'default', i.at, 1, false
FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) AS i(id, task_id, at, key)
ON CONFLICT DO NOTHING`;

const END = ({ open, ledger }: Tables) => `
WITH gone AS (
  DELETE FROM ${open} r USING unnest($1::uuid[], $2::integer[], $3::uuid[]) AS i(id, attempt, finish_id)
  WHERE r.id = ANY (ARRAY[i.id]) AND r.namespace = $4 AND r.state = 'running' AND r.attempt = i.attempt
  RETURNING r.*, i.finish_id AS ended_by
)
INSERT INTO ${ledger} (${KEPT.join(', ')}, state, finish_id, finished_at)
SELECT ${KEPT.map((column) => `g.${column}`).join(', ')}, 'succeeded', g.ended_by, clock_timestamp() FROM gone g`;
