import { ids, type Link, type Step } from './shape.ts';

/** How the ledger finds the runs of a task, and those of a key. */
export interface LedgerIndexes {
  name: string;
  /** Makes the indexes, or what stands for them, of a ledger that is filled. */
  make(ledger: string): string;
  /** What is done later with runs that have ended. Default: nothing. */
  fold?(link: Link, ledger: string): Step;
  /** Makes the indexes of a partition that gets no more runs. Default: it has them. */
  seal?(partition: string): string;
  /** The newest 50 runs of the task $1. Default: none reads them without a scan. */
  newest?(ledger: string): string;
}

const PAGE = 50;

/** Each insert makes its entries, in the leaf pages that a task has to itself. */
export const TASK_FIRST: LedgerIndexes = {
  name: 'task first',
  make: (ledger) => `CREATE INDEX ON ${ledger} (task_id, id); CREATE INDEX ON ${ledger} (namespace, key, id)`,
  newest: (ledger) => `SELECT r.id, r.state FROM ${ledger} r WHERE r.task_id = $1 ORDER BY r.id DESC LIMIT ${PAGE}`,
};

/**
 * Entries of a span of time are together, so that tasks share the pages of the present one. The roll-ups say in which hours a task has runs: a reader
 * looks into these. A key that its task alone has needs no entry: its runs are those of the task.
 */
export const spanFirst = (span: 'hour' | 'day'): LedgerIndexes => {
  const of = (at: string) => `date_bin('1 ${span}', ${at}, timestamptz 'epoch')`;
  return {
    name: `${span} first`,
    make: (ledger) => `
CREATE INDEX ON ${ledger} ((${of('scheduled_for')}), task_id, id);
CREATE INDEX ON ${ledger} (namespace, key, id) WHERE own_key;
CREATE TABLE ${ledger}_span (task_id uuid, start timestamptz, PRIMARY KEY (task_id, start));
INSERT INTO ${ledger}_span SELECT DISTINCT h.task_id, ${of('h.at')} FROM shape_history h ORDER BY 1, 2`,
    newest: (ledger) => `
SELECT n.* FROM (
  SELECT generate_series(${of('now()')}, ${of('now()')} - interval '1 ${span}', interval '-1 ${span}') AS start
  UNION ALL
  (SELECT s.start FROM ${ledger}_span s WHERE s.task_id = $1 AND s.start < ${of('now()')} - interval '1 ${span}' ORDER BY s.start DESC)
) s CROSS JOIN LATERAL (
  SELECT r.id, r.state FROM ${ledger} r WHERE ${of('r.scheduled_for')} = s.start AND r.scheduled_for >= s.start
    AND r.scheduled_for < s.start + interval '1 ${span}' AND r.task_id = $1 ORDER BY r.id DESC LIMIT ${PAGE}
) n LIMIT ${PAGE}`,
  };
};

/** No index while the runs are young: all entries of a partition are made at once. */
export const NONE: LedgerIndexes = {
  name: 'none yet',
  make: () => '',
  seal: (partition) => TASK_FIRST.make(partition),
};

/** A table of entries beside the ledger, into which a scheduler puts the runs of the last minute, sorted. */
export const FOLDED: LedgerIndexes = {
  name: 'folded',
  make: (ledger) => `
CREATE TABLE ${ledger}_task (task_id uuid, id uuid, PRIMARY KEY (task_id, id));
CREATE TABLE ${ledger}_key (namespace text, key text, id uuid, PRIMARY KEY (namespace, key, id));
INSERT INTO ${ledger}_task SELECT h.task_id, h.id FROM shape_history h ORDER BY 1, 2;
INSERT INTO ${ledger}_key SELECT h.namespace, h.key, h.id FROM shape_history h ORDER BY 1, 2, 3`,
  fold: (link, ledger) => ({
    name: 'fold',
    async work(runs) {
      for (const [table, columns] of [
        ['task', 'task_id, id'],
        ['key', 'namespace, key, id'],
      ])
        await link.query({
          name: `${ledger}_fold_${table}`,
          text: `INSERT INTO ${ledger}_${table} SELECT ${columns} FROM ${ledger} r WHERE r.id = ANY ($1::uuid[]) ORDER BY ${columns}`,
          values: [ids(runs)],
        });
    },
  }),
  newest: (ledger) => `SELECT r.id, r.state FROM ${ledger}_task t JOIN ${ledger} r ON r.id = t.id
    WHERE t.task_id = $1 ORDER BY t.id DESC LIMIT ${PAGE}`,
};
