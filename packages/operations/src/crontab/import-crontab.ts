import {
  type By,
  checkTask,
  EscapementError,
  type TaskDefinition,
  type TaskInput,
  type UndoneEdit,
} from '@escapement/core';
import {
  type Imported,
  type ImportPlan,
  type ImportReport,
  type PlannedLine,
  planImport,
  type ReadCrontab,
  type ReadOptions,
  readCrontab,
  reportImport,
} from '@escapement/formats';
import { type Database, listTasks, type Task, whileSetIsHeld } from '@escapement/store';
import { permitInNamespace, permitOnTask, permitSave } from '../rights/permit.ts';
import { deleteTask } from '../tasks/delete-task.ts';
import { saveTask } from '../tasks/save-task.ts';
import { undoneEdits } from '../tasks/undone-edits.ts';

export interface CrontabGiven extends ReadOptions {
  text: string;
  /** Under which its tasks are found again at the next import: they have the source `crontab:NAME`. Part of the ids of its lines. */
  name: string;
  /** Pool of those of its tasks that are new, where `pool` is not given. Default: `default`. */
  newPool?: string | undefined;
}

/** What a crontab becomes where nothing is there to compare it with. Pure. */
export function describeCrontab(given: CrontabGiven, now: Date): ImportReport {
  const { source, read } = readGiven(given);
  const plan = planImport({ wanted: read.tasks, existing: [], source, newPool: given.newPool });
  return reportImport({ ...importedOf({ source, read, plan }), compared: false }, now);
}

/** What an import would do, compared with the tasks that are there. Reads only. */
export async function previewImport(db: Database, given: CrontabGiven, now: Date): Promise<ImportReport> {
  const compared = await compare(db, given);
  return reportImport(importedOf(compared), now);
}

/**
 * Imports a crontab: makes and updates its tasks, each by itself. `prune`: deletes those whose line is gone. All rights that it takes are
 * asked for before anything is written. A task that is refused for another reason is told of, and stops nothing. `lines`: only these are
 * written, by their numbers; undefined: all. An import waits for another one of the same crontab. Throws `not_allowed`, `bad_user`,
 * `save_races`, and `bad_lines` for one of which nothing can be written.
 */
export async function importCrontab(
  db: Database,
  given: ImportGiven,
  { by, now }: { by: By; now: Date },
): Promise<ImportReport> {
  const seen = { action: 'save', subject: { namespace: db.namespace }, what: `all of the namespace ${db.namespace}` };
  // Which tasks do the same, and which lines are gone, is told of all.
  await permitInNamespace(db, by, 'read', seen);
  return await whileSetIsHeld(db, sourceOf(given), async () => await importAlone(db, given, { by, now }));
}

type ImportGiven = CrontabGiven & { prune: boolean; lines?: readonly number[] | undefined };

async function importAlone(
  db: Database,
  given: ImportGiven,
  { by, now }: { by: By; now: Date },
): Promise<ImportReport> {
  const compared = await compare(db, given);
  const { plan, source, versions } = compared;
  const { chosen, left } = choose(plan, given.lines);
  await permitImport(db, { lines: chosen, removed: plan.removed }, { by, prune: given.prune });
  const failed: { line: number; reason: string }[] = [];
  for (const line of chosen) {
    const reason = await save(db, line, { source, by, versions });
    if (reason !== undefined) failed.push({ line: line.line, reason });
  }
  if (given.prune)
    for (const { name } of plan.removed) await deleteTask(db, name, { ...by, reason: by.reason ?? 'its line is gone' });
  return reportImport({ ...importedOf(compared), written: true, pruned: given.prune, left, failed }, now);
}

/** Throws `bad_lines`. */
function choose({ lines }: ImportPlan, asked: readonly number[] | undefined): Chosen {
  if (asked === undefined) return { chosen: lines, left: new Set() };
  const wanted = new Set(asked);
  const unknown = asked.find((number) => lines.every(({ line }) => line !== number));
  if (unknown !== undefined)
    throw new EscapementError('bad_lines', `line ${unknown} becomes no task`, {
      fix: 'choose lines of which the preview names a task',
    });
  const numbers = lines.map(({ line }) => line).filter((line) => !wanted.has(line));
  return { chosen: lines.filter(({ line }) => wanted.has(line)), left: new Set(numbers) };
}

interface Chosen {
  chosen: PlannedLine[];
  /** Lines that are not written. */
  left: ReadonlySet<number>;
}

interface Compared {
  source: string;
  read: ReadCrontab;
  plan: ImportPlan;
  undoes?: Map<string, UndoneEdit[]>;
  /** Of the tasks that there were, by name. */
  versions: ReadonlyMap<string, number>;
}

function importedOf({ source, read, plan, undoes = new Map() }: Omit<Compared, 'versions'>): Imported {
  return { source, read, plan, undoes, written: false, compared: true, pruned: false, left: new Set(), failed: [] };
}

const sourceOf = ({ name }: Pick<CrontabGiven, 'name'>): string => `crontab:${name}`;

function changedMeanwhile(name: string): EscapementError {
  return new EscapementError('save_races', `task ${name} was changed while the crontab was imported`, {
    fix: 'import it again',
  });
}

function readGiven({ text, ...options }: CrontabGiven): { source: string; read: ReadCrontab } {
  if (options.system && options.user !== undefined)
    throw new EscapementError('bad_user', `a user is given (${options.user}), and the lines name theirs`, {
      fix: 'leave out one of `user` and `system`',
    });
  return { source: sourceOf(options), read: readCrontab(text, options) };
}

async function compare(db: Database, given: CrontabGiven): Promise<Compared> {
  const { source, read } = readGiven(given);
  const existing = await listTasks(db);
  const plan = planImport({ wanted: read.tasks, existing, source, newPool: given.newPool });
  const versions = new Map(existing.map(({ name, version }) => [name, version]));
  return { source, read, plan, undoes: await undoesOf(db, plan, existing), versions };
}

/** What people have edited, by task, and the file takes back. */
async function undoesOf(
  db: Database,
  { lines }: ImportPlan,
  existing: readonly Task[],
): Promise<Map<string, UndoneEdit[]>> {
  const undoes = new Map<string, UndoneEdit[]>();
  for (const line of lines) {
    const task = line.action === 'update' ? existing.find(({ name }) => name === line.name) : undefined;
    if (!task || line.action !== 'update') continue;
    const fields = line.changes.map(({ field }) => field);
    undoes.set(line.name, await undoneEdits(db, task, fields));
  }
  return undoes;
}

async function permitImport(
  db: Database,
  { lines, removed }: Pick<ImportPlan, 'lines' | 'removed'>,
  { by, prune }: { by: By; prune: boolean },
): Promise<void> {
  for (const line of lines) {
    const definition = line.action === 'create' || line.action === 'update' ? checked(line.task) : undefined;
    if (definition) await permitSave(db, by, definition);
  }
  if (!prune) return;
  for (const { name } of removed) await permitOnTask(db, by, 'edit', { name, action: 'delete' });
}

/** Undefined: it cannot be as it is, which its save tells. */
function checked(task: TaskInput): TaskDefinition | undefined {
  try {
    return checkTask(task);
  } catch (error) {
    if (error instanceof EscapementError) return undefined;
    throw error;
  }
}

/** Saves a line's task if it is new or changed. Returns why it was refused. */
async function save(
  db: Database,
  planned: PlannedLine,
  { source, by, versions }: { source: string; by: By; versions: ReadonlyMap<string, number> },
): Promise<string | undefined> {
  if (planned.action !== 'create' && planned.action !== 'update') return undefined;
  try {
    const reason = by.reason ?? `imported from line ${planned.line}`;
    const guard = async (current: Task | null) => {
      if (current?.version !== versions.get(planned.name)) throw changedMeanwhile(planned.name);
    };
    await saveTask(db, planned.task, { source, by: { ...by, reason }, guard });
    return undefined;
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return `${error.message}${error.fix ? `: ${error.fix}` : ''}`;
  }
}
