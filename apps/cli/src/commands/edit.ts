import { EscapementError, readInstant, type TaskDefinition } from '@escapement/core';
import {
  checkEgress,
  checkSecrets,
  checkUnknownTask,
  dropPendingChange,
  effectOf,
  renamed,
  requireTask,
  saveTask,
} from '@escapement/operations';
import { type Database, pingDatabase, type Task, taskHistory } from '@escapement/store';
import type { Command } from 'commander';
import { setAt, unsetAt } from '../changes/set-at.ts';
import { effectLines } from '../changes/show-effect.ts';
import { undoneBy } from '../changes/undone-by.ts';
import { type Acting, type Context, configOf, withDatabase } from '../context.ts';
import { gather, readCount, readZone } from '../options.ts';
import { inUtc, systemZone } from '../output/wording.ts';

interface ChangeOptions {
  plan: boolean;
  days: number;
  note?: string;
  effective?: string;
}

interface EditOptions extends ChangeOptions {
  set: string[];
  unset: string[];
  cron?: string;
  tz?: string;
  dropPending: boolean;
}

/** `tasks edit` and `tasks revert`. */
export function addTaskEdits(tasks: Command, context: Context): void {
  const edit = tasks
    .command('edit')
    .description('change a task; with --plan only show what that would change')
    .argument('<name>', 'name of the task')
    .option('--set <path=value>', 'JSON or text at a path, as in retry.maxAttempts=3; may be repeated', gather, [])
    .option('--unset <path>', 'remove the value at a path; may be repeated', gather, [])
    .option('--cron <expression>', 'the schedule as a cron expression')
    .option('--tz <zone>', 'the zone of the schedule', readZone)
    .option('--drop-pending', 'forget a change that is to count from a later time', false);
  withChangeOptions(edit).action((name: string, options: EditOptions) => editTask(name, options, context));
  const revert = tasks
    .command('revert')
    .description('save an older version of a task again, as its newest')
    .argument('<name>', 'name of the task')
    .requiredOption('--to <version>', 'the version, as `tasks history` shows it', readCount('--to', 1, 2 ** 31 - 1));
  withChangeOptions(revert).action((name: string, options: ChangeOptions & { to: number }) =>
    revertTask(name, options, context),
  );
}

function withChangeOptions(command: Command): Command {
  return command
    .option('--plan', 'show occurrences added, removed and moved, clock changes and warnings; change nothing', false)
    .option('--days <n>', 'compare the occurrences of this many days', readCount('--days', 1, 366), 7)
    .option('--effective <instant>', 'when the change takes effect: ISO 8601, or a span such as 2h; default: now')
    .option('--note <text>', 'why; kept with the version');
}

async function editTask(name: string, options: EditOptions, context: Context): Promise<void> {
  await withDatabase(context, async (db, by) => {
    const task = await requireTask(db, name);
    if (options.dropPending) {
      const dropped = await dropPendingChange(db, name, by(options.note));
      context.output.note(dropped ? 'the change that waited is forgotten' : 'no change was waiting');
    }
    const edited = editedBy(task.definition, options);
    if (edited) await change({ db, by }, { task, definition: edited }, options, context);
    else if (!options.dropPending)
      throw new EscapementError('nothing_to_edit', `nothing about ${name} is to be changed`, {
        fix: 'give --set, --unset, --cron, --tz or --drop-pending',
      });
  });
}

/** The definition with the changes; undefined: there are none. */
function editedBy(definition: TaskDefinition, options: EditOptions): unknown {
  const { set, unset, cron, tz } = options;
  if (set.length + unset.length === 0 && cron === undefined && tz === undefined) return undefined;
  let edited: unknown = structuredClone(definition);
  if (cron !== undefined) edited = setAt(edited, `schedule=${JSON.stringify(cronSchedule(definition, cron, tz))}`);
  else if (tz !== undefined) edited = setAt(edited, `schedule.timeZone=${tz}`);
  for (const path of unset) edited = unsetAt(edited, path);
  for (const assignment of set) edited = setAt(edited, assignment);
  return edited;
}

/** A new expression keeps what else a cron schedule says. */
function cronSchedule({ schedule }: TaskDefinition, expression: string, tz: string | undefined): object {
  const before = schedule.kind === 'cron' ? schedule : { kind: 'cron', timeZone: systemZone() };
  return { ...before, expression, ...(tz === undefined ? {} : { timeZone: tz }) };
}

async function revertTask(name: string, options: ChangeOptions & { to: number }, context: Context): Promise<void> {
  await withDatabase(context, async (db, by) => {
    const task = await requireTask(db, name);
    const versions = await taskHistory(db, name);
    const wanted = versions.find(({ version }) => version === options.to);
    if (!wanted)
      throw new EscapementError('unknown_version', `task ${name} has no version ${options.to}`, {
        fix: `it has 1 to ${versions[0]?.version}; see \`escapement tasks history ${name}\``,
      });
    const note = options.note ?? `back to version ${options.to}`;
    // Of a time when it was called otherwise: the name stays as it is now, and the key as it was then.
    const definition = renamed(checkUnknownTask(wanted.definition), name);
    await change({ db, by }, { task, definition }, { ...options, note }, context);
  });
}

async function change(
  { db, by }: { db: Database; by: Acting },
  { task, definition: wanted }: { task: Task; definition: unknown },
  options: ChangeOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const definition = checkUnknownTask(wanted);
  const { egress } = configOf(context);
  checkEgress(definition, egress);
  await checkSecrets(db, definition);
  if (definition.name !== task.name)
    throw new EscapementError('bad_task', `the name of ${task.name} cannot be changed`, {
      fix: `it is changed by \`escapement tasks rename ${task.name} NEW\``,
    });
  const effectiveAt = effectiveOf(options, context);
  const from = effectiveAt ?? (await pingDatabase(db)).now;
  const { days, note } = options;
  const effect = await effectOf(db, { task, definition }, { from, days, timeZone: systemZone() });
  const result = options.plan
    ? { kind: 'planned' }
    : await saveTask(db, definition, {
        source: task.source,
        by: by(note),
        egress,
        edited: true,
        ...(effectiveAt === undefined ? {} : { effectiveAt }),
      });
  output.result({ ...result, effect }, () => effectLines(effect, days));
  if (options.plan) output.note('nothing was changed: this is the plan');
  else if (effectiveAt) output.note(`it counts from ${inUtc(effectiveAt)} on`);
  const undoing = effect.action === 'unchanged' ? undefined : undoneBy(task.source);
  if (undoing !== undefined) output.note(`the task belongs to ${task.source}: ${undoing}`);
}

function effectiveOf({ effective }: ChangeOptions, { clock }: Context): Date | undefined {
  if (effective === undefined) return undefined;
  return readInstant(effective, { what: '--effective', now: clock.now(), spans: 'ahead', timeZone: systemZone() });
}
