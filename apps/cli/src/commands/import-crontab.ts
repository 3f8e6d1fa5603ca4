import { normalize } from 'node:path';
import { EscapementError, type TaskInput } from '@escapement/core';
import { deleteTask, saveTask, type UndoneEdit, undoneEdits } from '@escapement/operations';
import { type Database, listTasks, type Task } from '@escapement/store';
import type { Command } from 'commander';
import { type Acting, type Context, withDatabase } from '../context.ts';
import type { ExistingTask } from '../crontab/match.ts';
import { type ImportPlan, type PlannedLine, planImport } from '../crontab/plan.ts';
import { type ReadCrontab, readCrontab } from '../crontab/read-crontab.ts';
import { readPool, readText, readZone } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';
import { type ImportReport, showImport } from './import-report.ts';

interface ImportOptions {
  system: boolean;
  write: boolean;
  prune: boolean;
  strict: boolean;
  pool?: string;
  tz?: string;
  source?: string;
}

export function addImport(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('import')
    .description('create tasks from another format')
    .command('crontab')
    .description('show which tasks a crontab becomes; with --write save them. You may repeat it at any time')
    .argument('<file>', 'path of the crontab, or - for standard input')
    .option('--write', 'create and update the tasks; without it nothing is changed', false)
    .option('--system', 'the file has a user column, as /etc/crontab and /etc/cron.d have', false)
    .option('--prune', 'with --write: also delete tasks of this source whose line is gone', false)
    .option('--strict', 'write nothing if any line is bad', false)
    .option('--pool <name>', "pool of workers for these tasks, for lines that need one host's files", readPool)
    .option('--tz <zone>', "zone of lines without CRON_TZ or TZ above them; default: this machine's", readZone)
    .option(
      '--source <name>',
      'name under which the lines are found again at the next import; default: the path as given',
    )
    .action(async (file: string, options: ImportOptions) => end(await importCrontab(file, options, context)));
}

async function importCrontab(file: string, options: ImportOptions, context: Context): Promise<ExitCode> {
  const text = await readText(file, context.stdin);
  const read = readCrontab(text, {
    system: options.system,
    pool: options.pool,
    timeZone: options.tz ?? systemZone(),
    timeZoneFrom: options.tz === undefined ? 'system' : '--tz',
  });
  const name = options.source ?? (file === '-' ? 'stdin' : normalize(file));
  const job: Job = { read, source: `crontab:${name}`, options, context };
  if (options.strict && read.bad.length > 0) {
    showImport({ ...reportOf(job, planOf(job, [])), compared: false, refusedAll: true }, context);
    return EXIT.usage;
  }
  const report = options.write ? await write(job) : await compare(job);
  showImport(report, context);
  return report.failed.length > 0 ? EXIT.usage : EXIT.ok;
}

interface Job {
  read: ReadCrontab;
  source: string;
  options: ImportOptions;
  context: Context;
}

function planOf({ read, source }: Job, existing: readonly ExistingTask[]): ImportPlan {
  return planImport({ wanted: read.tasks, existing, source });
}

function reportOf({ read, source }: Job, plan: ImportPlan): ImportReport {
  return {
    source,
    read,
    plan,
    undoes: new Map(),
    written: false,
    compared: true,
    refusedAll: false,
    pruned: false,
    failed: [],
  };
}

/** What would be done. Without a database everything would be new. */
async function compare(job: Job): Promise<ImportReport> {
  try {
    return await withDatabase(job.context, async (db) => {
      const existing = await listTasks(db);
      const plan = planOf(job, existing);
      return { ...reportOf(job, plan), undoes: await undoesOf(db, plan, existing) };
    });
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    job.context.output.note(`not compared with the tasks that are there: ${error.message}`);
    return { ...reportOf(job, planOf(job, [])), compared: false };
  }
}

async function write(job: Job): Promise<ImportReport> {
  return await withDatabase(job.context, async (db, by) => {
    const existing = await listTasks(db);
    const plan = planOf(job, existing);
    const undoes = await undoesOf(db, plan, existing);
    const failed: ImportReport['failed'] = [];
    for (const line of plan.lines) {
      const refusal = await save(db, line, { source: job.source, by });
      if (refusal) failed.push({ line: line.line, reason: refusal });
    }
    if (job.options.prune) {
      for (const { name } of plan.removed) await deleteTask(db, name, by('its line is gone'));
    }
    return { ...reportOf(job, plan), undoes, written: true, pruned: job.options.prune, failed };
  });
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

/** Saves a line's task if it is new or changed. Returns why it was refused. */
async function save(
  db: Database,
  planned: PlannedLine,
  { source, by }: { source: string; by: Acting },
): Promise<string | undefined> {
  if (planned.action !== 'create' && planned.action !== 'update') return undefined;
  const task: TaskInput = planned.task;
  try {
    await saveTask(db, task, { source, by: by(`imported from line ${planned.line}`) });
    return undefined;
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return `${error.message}${error.fix ? `: ${error.fix}` : ''}`;
  }
}
