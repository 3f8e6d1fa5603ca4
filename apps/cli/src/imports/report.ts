import { scheduleWords, undoesWords } from '@escapement/core';
import { maskCommand } from '@escapement/core/mask';
import { nextFire, parseSchedule } from '@escapement/core/schedule';
import type { TaskFormat, Translated, Translation } from '@escapement/formats';
import type { Context } from '../context.ts';
import type { Column } from '../output/table.ts';
import { counted, inZone } from '../output/wording.ts';
import type { ApplyAnswer } from './apply-answer.ts';
import type { ImportOptions } from './options.ts';

/** What came of an import. */
export type Carried =
  | { kind: 'written' | 'planned'; answer: ApplyAnswer }
  /** Nobody could be asked what is there. */
  | { kind: 'alone' }
  /** Nothing was written, because some tasks cannot be saved. */
  | { kind: 'problems'; problems: { task: string; message: string }[] }
  /** --strict. */
  | { kind: 'refused-all' };

interface Reported {
  format: Exclude<TaskFormat, 'files'>;
  translation: Translation;
  options: ImportOptions;
  carried: Carried;
}

type Action = 'create' | 'update' | 'unchanged' | 'created' | 'updated' | 'left' | 'refused';

interface Row {
  place: string;
  action: Action;
  task: string | null;
  meaning: string | null;
  timeZone: string | null;
  nextRun: Date | null;
  /** Why it is refused. */
  reason: string | null;
  /** What the task does not take over. */
  lost: string[];
  notes: string[];
}

const COLUMNS: Column<Row>[] = [
  { title: 'FROM', value: ({ place }) => place, wraps: true },
  { title: 'SCHEDULE', value: ({ meaning }) => meaning ?? '-' },
  { title: 'ZONE', value: ({ timeZone }) => timeZone ?? '-' },
  { title: 'NEXT RUN', value: ({ nextRun, timeZone }) => (nextRun ? inZone(nextRun, timeZone ?? 'UTC') : '-') },
  { title: 'ACTION', value: ({ action }) => action },
  { title: 'TASK', value: ({ task }) => task ?? '-' },
  { title: 'LOST', value: ({ lost }) => (lost.length > 0 ? String(lost.length) : '-'), align: 'right' },
];

export function showReport(reported: Reported, context: Context): void {
  const { output } = context;
  const { translation, options, format, carried } = reported;
  const rows = rowsOf(reported, context.clock.now());
  const source = `${format}:${options.source}`;
  const left = carried.kind === 'written' || carried.kind === 'planned' ? gone(carried.answer, translation) : [];
  const written = carried.kind === 'written';
  const notes = translation.notes.map(maskCommand);
  output.table({ source, written, compared: carried.kind !== 'alone', tasks: rows, left, notes }, rows, COLUMNS);
  if (output.format === 'json') return;
  const below = [
    ...detailLines(rows),
    ...undoneLines(carried),
    ...left.map((name) => goneLine(name, written && options.prune)),
    ...notes.map((note) => `note: ${note}`),
    `${source}: ${summary(rows, carried)}`,
  ];
  output.text(`\n${below.join('\n')}\n`);
}

function rowsOf({ translation: { tasks, refused }, carried, options }: Reported, now: Date): Row[] {
  const made = tasks.map((each) => rowOf(each, actionOf(each.task.name, carried, options), { carried, now }));
  const bad = refused.map(({ place, reason }): Row => ({ ...NO_TASK, place, reason: maskCommand(reason) }));
  return [...made, ...bad];
}

const NO_TASK = {
  action: 'refused',
  task: null,
  meaning: null,
  timeZone: null,
  nextRun: null,
  lost: [],
  notes: [],
} satisfies Partial<Row>;

function rowOf(
  { place, task, lost, notes, paused }: Translated,
  action: Action,
  { carried, now }: { carried: Carried; now: Date },
): Row {
  const schedule = task.schedule ?? { kind: 'manual' };
  const problem = carried.kind === 'problems' ? carried.problems.find((each) => each.task === task.name) : undefined;
  return {
    place,
    action,
    task: task.name,
    meaning: `${scheduleWords({ ...task, schedule })}${paused ? ' (paused)' : ''}`,
    timeZone: 'timeZone' in schedule ? schedule.timeZone : null,
    nextRun: paused ? null : nextFire(parseSchedule(schedule, { seed: task.name }), now),
    reason: problem ? maskCommand(problem.message) : null,
    lost: lost.map(maskCommand),
    notes: notes.map(maskCommand),
  };
}

function actionOf(name: string, carried: Carried, { only }: ImportOptions): Action {
  if (only && !only.includes(name)) return 'left';
  if (carried.kind === 'problems' && carried.problems.some(({ task }) => task === name)) return 'refused';
  if (carried.kind !== 'written' && carried.kind !== 'planned') return 'create';
  const effect = carried.answer.effects.find((each) => each.name === name);
  if (!effect) return 'unchanged';
  if (carried.kind === 'planned') return effect.action === 'create' ? 'create' : 'update';
  return effect.action === 'create' ? 'created' : 'updated';
}

/** Tasks of the source that are no longer there, without those that were left out on purpose. */
function gone({ left }: ApplyAnswer, { tasks }: Translation): string[] {
  return left.filter((name) => tasks.every(({ task }) => task.name !== name));
}

function goneLine(name: string, deleted: boolean): string {
  return deleted ? `deleted: ${name}` : `no more there: ${name}; --prune deletes it`;
}

/** Why tasks are refused; then what they lose and what is to be known, each once with all tasks that it is about. */
function detailLines(rows: readonly Row[]): string[] {
  const tasks = rows.filter(({ task }) => task !== null);
  return [
    ...rows.flatMap(({ task, place, reason }) => (reason === null ? [] : [`${task ?? place} refused: ${reason}`])),
    ...gathered(tasks, ({ lost }) => lost).map(([what, of]) => `not taken over (${of}): ${what}`),
    ...gathered(tasks, ({ notes }) => notes).map(([what, of]) => `note (${of}): ${what}`),
  ];
}

const NAMED = 4;

/** Each text with the tasks that have it, in words. */
function gathered(rows: readonly Row[], textsOf: (row: Row) => readonly string[]): [string, string][] {
  const found = new Map<string, string[]>();
  for (const row of rows)
    for (const text of textsOf(row)) found.set(text, [...(found.get(text) ?? []), row.task ?? '']);
  return [...found].map(([text, names]) => {
    if (names.length === rows.length && names.length > 1) return [text, 'all'];
    const more = names.length - NAMED;
    return [text, `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
  });
}

function undoneLines(carried: Carried): string[] {
  if (carried.kind !== 'written' && carried.kind !== 'planned') return [];
  return carried.answer.effects.flatMap(({ name, undoes }) =>
    undoes.map((edit) => `${name}: ${maskCommand(undoesWords(edit, carried.kind === 'planned'))}`),
  );
}

function summary(rows: readonly Row[], { kind }: Carried): string {
  const count = (...actions: Action[]) => rows.filter(({ action }) => actions.includes(action)).length;
  const isDone = kind === 'written';
  const parts = [
    `${count('create', 'created')} ${isDone ? 'created' : 'to create'}`,
    `${count('update', 'updated')} ${isDone ? 'updated' : 'to update'}`,
    `${count('unchanged')} unchanged`,
    ...(count('left') > 0 ? [`${count('left')} not chosen`] : []),
    `${count('refused')} refused`,
  ].join(', ');
  if (isDone) return `${parts}.`;
  if (kind === 'problems') return `${parts}. Nothing is written: correct what is refused.`;
  if (kind === 'refused-all') return `${parts}. Nothing is written: --strict, and ${counted(spoilt(rows), 'bad one')}.`;
  return `${parts}. Nothing is written${kind === 'alone' ? ' and nothing compared' : ''}: add --write.`;
}

function spoilt(rows: readonly Row[]): number {
  return rows.filter(({ reason, lost }) => reason !== null || lost.length > 0).length;
}
