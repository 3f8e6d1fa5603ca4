import { counted, handlerFacts, scheduleWords, type UndoneEdit, undoesWords } from '@escapement/core';
import { maskCommand } from '@escapement/core/mask';
import { nextFire } from '@escapement/core/schedule';
import { changeNotes } from './change-notes.ts';
import { hitByClockChange, lintNotes } from './lint-notes.ts';
import type { ImportPlan, PlannedLine } from './plan.ts';
import type { ReadCrontab, TaskLine } from './read-crontab.ts';

/** A line of a crontab, and what becomes of it. What it hides is masked. */
export interface ImportedLine {
  line: number;
  text: string;
  /** `left`: it was not chosen. */
  action: PlannedLine['action'] | 'created' | 'updated' | 'left' | 'refused';
  task: string | null;
  schedule: string | null;
  meaning: string | null;
  timeZone: string | null;
  nextRun: Date | null;
  notes: string[];
  /** Edits by people that the line takes back. */
  undoes: readonly UndoneEdit[];
}

/** Lines by what becomes of them. */
export interface ImportCounts {
  create: number;
  update: number;
  unchanged: number;
  /** Another source has a task that does the same. */
  duplicate: number;
  /** Lines that would have been written, and were not chosen. */
  left: number;
  /** Also those whose task could not be saved. */
  refused: number;
  /** Of the refused: they are good lines, and their tasks could not be saved. */
  failed: number;
  /** Tasks whose line is gone. */
  removed: number;
  /** Lines with an address in MAILTO. */
  mailed: number;
  /** Lines without MAILTO. */
  silent: number;
}

/** What a crontab becomes, or has become. */
export interface ImportReport {
  source: string;
  written: boolean;
  /** False: there was nothing to compare it with, so each line counts as new. */
  compared: boolean;
  counts: ImportCounts;
  lines: ImportedLine[];
  /** Tasks of the source whose line is gone. */
  removed: { task: string; schedule: string; command: string; deleted: boolean }[];
  /** What is to be known of the whole file. */
  notes: string[];
}

export interface Imported {
  source: string;
  read: ReadCrontab;
  plan: ImportPlan;
  /** By task: what people have edited, and the file takes back. */
  undoes: ReadonlyMap<string, readonly UndoneEdit[]>;
  written: boolean;
  compared: boolean;
  /** Tasks whose line is gone are deleted. */
  pruned: boolean;
  /** Lines that were not chosen. */
  left: ReadonlySet<number>;
  /** Lines whose task could not be saved. */
  failed: readonly { line: number; reason: string }[];
}

/** Tells of an import. Pure. */
export function reportImport(imported: Imported, now: Date): ImportReport {
  const { source, read, plan, written, compared, pruned } = imported;
  const lines = linesOf(imported, now);
  const removed = plan.removed.map(({ name, definition }) => ({
    task: name,
    schedule: scheduleWords(definition),
    command: maskCommand(handlerFacts(definition.handler).shell?.command ?? ''),
    deleted: pruned,
  }));
  const notes = [...read.notes, ...generalNotes(imported, now)];
  return { source, written, compared, counts: countsOf(lines, imported), lines, removed, notes };
}

function linesOf({ read, plan, undoes, written, left, failed }: Imported, now: Date): ImportedLine[] {
  const planned = new Map(plan.lines.map((line) => [line.line, line]));
  const tasks = read.tasks.map((line): ImportedLine => {
    const plain = lineOf(line, planned.get(line.line), now);
    const edits = undoes.get(plain.task ?? '') ?? [];
    const warnings = edits.map((edit) => maskCommand(undoesWords(edit, !written)));
    const row = { ...plain, notes: [...warnings, ...plain.notes], undoes: edits };
    const failure = failed.find((each) => each.line === line.line);
    if (failure) return { ...row, action: 'refused', notes: [failure.reason], undoes: [] };
    return written ? { ...row, action: doneTo(row, left.has(line.line)) } : row;
  });
  const none = { task: null, schedule: null, meaning: null, timeZone: null, nextRun: null, undoes: [] };
  const bad = read.bad.map(
    ({ line, text, reason }): ImportedLine => ({
      line,
      text: maskCommand(text),
      action: 'refused',
      ...none,
      notes: [maskCommand(reason)],
    }),
  );
  return [...tasks, ...bad].sort((one, other) => one.line - other.line);
}

function doneTo({ action }: ImportedLine, isLeft: boolean): ImportedLine['action'] {
  if (action !== 'create' && action !== 'update') return action;
  if (isLeft) return 'left';
  return action === 'create' ? 'created' : 'updated';
}

function lineOf(
  { line, text, task, schedule, timeZone, notes }: TaskLine,
  planned: PlannedLine | undefined,
  now: Date,
): ImportedLine {
  const spec = task.schedule ?? { kind: 'manual' };
  return {
    line,
    text: maskCommand(text),
    action: planned?.action ?? 'create',
    task: planned?.name ?? null,
    schedule: spec.kind === 'cron' ? spec.expression : '@reboot',
    meaning: scheduleWords({ ...task, schedule: spec }),
    timeZone: spec.kind === 'cron' ? timeZone : null,
    nextRun: nextFire(schedule, now),
    undoes: [],
    notes: [...changeNotes(planned), ...lintNotes(schedule, now), ...notes].map(maskCommand),
  };
}

function countsOf(lines: readonly ImportedLine[], { read, plan, failed }: Imported): ImportCounts {
  const count = (...actions: ImportedLine['action'][]) => lines.filter(({ action }) => actions.includes(action)).length;
  return {
    create: count('create', 'created'),
    update: count('update', 'updated'),
    unchanged: count('unchanged'),
    duplicate: count('duplicate'),
    left: count('left'),
    refused: count('refused'),
    failed: failed.length,
    removed: plan.removed.length,
    mailed: read.tasks.filter(({ task }) => task.notify?.email).length,
    silent: read.tasks.filter(({ task }) => task.notify === undefined).length,
  };
}

function generalNotes({ read, plan, written }: Imported, now: Date): string[] {
  if (read.tasks.length === 0) return [];
  const notes = [
    'a line that falls due while its last run goes on is skipped, with a row in the ledger; cron starts a second run',
  ];
  const struck = read.tasks.filter(({ schedule }) => hitByClockChange(schedule, now));
  if (struck.length > 0)
    notes.push(
      `${counted(struck.length, 'line')} (${linesBriefly(struck)}) fall on a local time that does not exist, or comes twice, when the clock changes: \`escapement explain\` says what is done`,
    );
  for (const source of plan.relatedSources)
    notes.push(
      `${source} runs some of these commands already: if this is the same crontab, import it with --source ${source.replace(/^crontab:/, '')}`,
    );
  if (written) notes.push('shell tasks run on workers with ESCAPEMENT_ALLOW_SHELL=true only');
  return notes;
}

const BRIEF_LINES = 5;

function linesBriefly(tasks: readonly TaskLine[]): string {
  const shown = tasks.slice(0, BRIEF_LINES).map(({ line }) => line);
  return `${shown.join(', ')}${tasks.length > BRIEF_LINES ? ', ...' : ''}`;
}
