/** A connection on which the statements of a shape stay prepared. */
export interface Link {
  query(statement: string | { name: string; text: string; values: unknown[] }): Promise<{ rowCount: number | null }>;
}

/** An occurrence that a shape plans, begins and ends. */
export interface ShapeRun {
  /** Begins with its instant, as the ids of the product do. */
  id: string;
  taskId: string;
  /** Of a limit of 1. */
  key: string;
  at: Date;
}

export type StepName = 'plan' | 'look up' | 'begin' | 'end' | 'fold';

export interface Step {
  name: StepName;
  /** Carries out the step for these runs. Throws if one of them is refused. */
  work(runs: readonly ShapeRun[]): Promise<void>;
}

/** A way to store runs: its tables, and what a run does to them from its plan to its end. */
export interface Shape {
  name: string;
  /** Makes its tables, and puts the history into them. */
  prepare(): Promise<void>;
  /** In their order. */
  steps: readonly Step[];
  /** Builds the indexes of the present week at once. Default: an insert has made their entries. */
  seal?(): Promise<void>;
  /** The newest runs of a task, as a page shows them. Default: it is not measured. */
  newest?(taskId: string): Promise<void>;
}

export interface StatementOfStep {
  step: StepName;
  /** The name under which Postgres prepares it. */
  name: string;
  text: string;
  values(runs: readonly ShapeRun[]): unknown[];
  /** How many rows it returns or writes. Default: one for each run. */
  rows?(runs: number): number;
}

/** A step that is one statement on a connection. */
export function statement(link: Link, { step, name, text, values, rows = (runs) => runs }: StatementOfStep): Step {
  return {
    name: step,
    async work(runs) {
      const { rowCount } = await link.query({ name, text, values: values(runs) });
      if (rowCount !== rows(runs.length)) throw new Error(`${name}: ${rowCount} rows of ${runs.length} runs`);
    },
  };
}

export const ids = (runs: readonly ShapeRun[]): string[] => runs.map(({ id }) => id);

/** The columns of what is planned: id, task, instant, key. */
export const planned = (runs: readonly ShapeRun[]): unknown[] => [
  ids(runs),
  runs.map(({ taskId }) => taskId),
  runs.map(({ at }) => at.toISOString()),
  runs.map(({ key }) => key),
];
