import { maskCommand, nextFire, redactUnknownDefinition } from '@escapement/core';
import { scheduleWords, type UndoneEdit } from '@escapement/operations';
import { undoesWords } from '../changes/undone-by.ts';
import { type Context, configOf } from '../context.ts';
import { hitByClockChange, lintNotes } from '../crontab/lint-notes.ts';
import type { ImportPlan, PlannedLine } from '../crontab/plan.ts';
import type { ReadCrontab, TaskLine } from '../crontab/read-crontab.ts';
import type { Column } from '../output/table.ts';
import { counted, inZone } from '../output/wording.ts';

export interface ImportReport {
  source: string;
  read: ReadCrontab;
  plan: ImportPlan;
  /** By task: what people have edited, and the file takes back. */
  undoes: ReadonlyMap<string, readonly UndoneEdit[]>;
  written: boolean;
  /** False: no database was asked, so every line counts as new. */
  compared: boolean;
  /** --strict met a bad line. */
  refusedAll: boolean;
  pruned: boolean;
  /** Lines whose task could not be saved. */
  failed: { line: number; reason: string }[];
}

/** A line of the file as the table shows it. */
interface Row {
  line: number;
  text: string;
  action: PlannedLine['action'] | 'created' | 'updated' | 'refused';
  task: string | null;
  schedule: string | null;
  meaning: string | null;
  timeZone: string | null;
  nextRun: Date | null;
  notes: string[];
  /** Edits by people that the line takes back. */
  undoes: readonly UndoneEdit[];
}

const COLUMNS: Column<Row>[] = [
  { title: 'LINE', value: ({ line }) => String(line), align: 'right' },
  { title: 'SCHEDULE', value: ({ meaning }) => meaning ?? '-' },
  { title: 'ZONE', value: ({ timeZone }) => timeZone ?? '-' },
  { title: 'NEXT RUN', value: ({ nextRun, timeZone }) => (nextRun ? inZone(nextRun, timeZone ?? 'UTC') : '-') },
  { title: 'ACTION', value: ({ action }) => action },
  { title: 'TASK', value: ({ task }) => task ?? '-' },
  {
    title: 'NOTES',
    value: ({ action, notes }) => (action === 'refused' ? 'see below' : notes.join('; ')),
    wraps: true,
  },
];

export function showImport(report: ImportReport, context: Context): void {
  const { output } = context;
  const rows = rowsOf(report, context.clock.now());
  const common = commonNotes(rows);
  const notes = [...common.map((note) => `all lines: ${note}`), ...report.read.notes, ...generalNotes(report, context)];
  const shown = rows.map((row) => ({ ...row, notes: row.notes.filter((note) => !common.includes(note)) }));
  const counts = countsOf(rows, report);
  const removed = report.plan.removed.map(({ name, definition }) => ({
    task: name,
    schedule: scheduleWords(definition),
    command: maskCommand((definition.handler.type === 'shell' && definition.handler.command) || ''),
    deleted: report.pruned,
  }));
  const json = {
    source: report.source,
    written: report.written,
    compared: report.compared,
    counts,
    lines: rows,
    removed,
    notes,
  };
  output.table(json, shown, COLUMNS);
  if (output.format === 'json') return;
  const lines = [
    ...rows
      .filter(({ action }) => action === 'refused')
      .map(({ line, text, notes: [why] }) => `line ${line} refused: ${text}\n    ${why}`),
    ...removed.map(
      ({ task, schedule, command, deleted }) =>
        `${deleted ? 'deleted' : 'no more in the file'}: ${task} (${schedule}: ${command})${deleted ? '' : '; --prune deletes it'}`,
    ),
    ...notes.map((note) => `note: ${note}`),
    summary(counts, report),
  ];
  output.text(`\n${lines.join('\n')}\n`);
}

function rowsOf({ read, plan, undoes, written, failed, refusedAll }: ImportReport, now: Date): Row[] {
  const planned = new Map(plan.lines.map((line) => [line.line, line]));
  const tasks = read.tasks.map((line): Row => {
    const plain = taskRow(line, planned.get(line.line), now);
    const edits = undoes.get(plain.task ?? '') ?? [];
    const warnings = edits.map((edit) => maskCommand(undoesWords(edit, !written)));
    const row = { ...plain, notes: [...warnings, ...plain.notes], undoes: edits };
    const failure = failed.find((each) => each.line === line.line);
    if (failure) return { ...row, action: 'refused', notes: [failure.reason], undoes: [] };
    if (refusedAll || !written) return row;
    return { ...row, action: row.action === 'create' ? 'created' : row.action === 'update' ? 'updated' : row.action };
  });
  const none = { task: null, schedule: null, meaning: null, timeZone: null, nextRun: null, undoes: [] };
  const bad = read.bad.map(
    ({ line, text, reason }): Row => ({
      line,
      text: maskCommand(text),
      action: 'refused',
      ...none,
      notes: [maskCommand(reason)],
    }),
  );
  return [...tasks, ...bad].sort((one, other) => one.line - other.line);
}

function taskRow(
  { line, text, task, schedule, timeZone, notes }: TaskLine,
  planned: PlannedLine | undefined,
  now: Date,
): Row {
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

function changeNotes(planned: PlannedLine | undefined): string[] {
  if (planned?.action === 'duplicate')
    return [
      `${planned.source} has this line already, as this task; two would run everything twice (--pool to have both)`,
    ];
  if (planned?.action !== 'update') return [];
  return planned.changes.map(({ field, from, to }) => `${field}: ${brief(field, from)} -> ${brief(field, to)}`);
}

const BRIEF_CHARACTERS = 120;

/** Masked before it is cut: of a secret cut in two nobody knows what it was. */
function brief(field: string, value: unknown): string {
  const said = saidBriefly(shownField(field, value));
  return said.length <= BRIEF_CHARACTERS ? said : `${said.slice(0, BRIEF_CHARACTERS)}...`;
}

function shownField(field: string, value: unknown): unknown {
  if (field !== 'handler' && field !== 'notify') return value;
  const shown = redactUnknownDefinition({ name: 'shown', handler: { type: 'shell', command: 'true' }, [field]: value });
  return typeof shown === 'object' && shown !== null ? Reflect.get(shown, field) : undefined;
}

/** A schedule by its expression, a command alone where that is all there is. */
function saidBriefly(value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value !== 'object' || value === null) return String(value);
  if ('expression' in value && 'timeZone' in value) return `${value.expression} (${value.timeZone})`;
  if ('command' in value && Object.keys(value).length === 2) return String(value.command);
  return JSON.stringify(value);
}

/** Notes that stand at every task that has a zone are said once. */
function commonNotes(rows: readonly Row[]): string[] {
  const tasks = rows.filter(({ action, timeZone }) => action !== 'refused' && timeZone !== null);
  const [first] = tasks;
  if (!first || tasks.length < 2) return [];
  return first.notes.filter((note) => tasks.every(({ notes }) => notes.includes(note)));
}

function generalNotes({ read, plan, written }: ImportReport, context: Context): string[] {
  if (read.tasks.length === 0) return [];
  const config = configOf(context);
  const mailed = read.tasks.some(({ task }) => task.notify?.email);
  const silent = read.tasks.some(({ task }) => task.notify === undefined);
  const notes = [
    'a line that falls due while its last run goes on is skipped, with a row in the ledger; cron starts a second run',
  ];
  if (mailed && config.smtpUrl === undefined)
    notes.push(
      'MAILTO: no mail server is configured here, so no mail is sent; set ESCAPEMENT_SMTP_URL and ESCAPEMENT_MAIL_FROM for the schedulers',
    );
  if (silent && config.notifyEmail === undefined && config.notifyWebhook === undefined)
    notes.push(
      'nobody hears of failures of lines without MAILTO: set ESCAPEMENT_NOTIFY_EMAIL or ESCAPEMENT_NOTIFY_WEBHOOK for the schedulers',
    );
  const struck = read.tasks.filter(({ schedule }) => hitByClockChange(schedule, context.clock.now()));
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

type Counts = Record<'create' | 'update' | 'unchanged' | 'duplicate' | 'refused' | 'removed', number>;

function countsOf(rows: readonly Row[], { plan }: ImportReport): Counts {
  const count = (...actions: Row['action'][]) => rows.filter(({ action }) => actions.includes(action)).length;
  return {
    create: count('create', 'created'),
    update: count('update', 'updated'),
    unchanged: count('unchanged'),
    duplicate: count('duplicate'),
    refused: count('refused'),
    removed: plan.removed.length,
  };
}

function summary(counts: Counts, { source, written, compared, refusedAll, pruned }: ImportReport): string {
  const parts = [
    `${counts.create} ${written ? 'created' : 'to create'}`,
    `${counts.update} ${written ? 'updated' : 'to update'}`,
    `${counts.unchanged} unchanged`,
    ...(counts.duplicate > 0 ? [`${counts.duplicate} there already`] : []),
    ...(counts.removed > 0 ? [`${counts.removed} ${pruned ? 'deleted' : 'no more in the file'}`] : []),
    `${counts.refused} refused`,
  ];
  const line = `${source}: ${parts.join(', ')}`;
  if (refusedAll) return `${line}. Nothing is written: --strict, and ${counted(counts.refused, 'bad line')}.`;
  if (written) return `${line}.`;
  return `${line}. Nothing is written${compared ? '' : ' and nothing compared'}: add --write.`;
}
