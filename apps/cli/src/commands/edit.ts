import type { AnswerOf } from '@escapement/api/calls';
import {
  dropPendingTaskChange,
  getTask,
  patchTask,
  previewTaskChange,
  revertTask as revert,
} from '@escapement/api/routes';
import { EscapementError, readInstant, type TaskDefinition } from '@escapement/core';
import type { DefinitionEdit } from '@escapement/operations';
import type { Command } from 'commander';
import { readAssignment, readPath } from '../changes/assignment.ts';
import { savedView } from '../changes/saved.ts';
import { effectLines } from '../changes/show-effect.ts';
import { undoneBy } from '../changes/undone-by.ts';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { gather, readCount, readZone } from '../options.ts';
import { inUtc, systemZone } from '../output/wording.ts';
import { taskNamed } from './one-task.ts';

interface ChangeOptions {
  plan: boolean;
  days: number;
  reason?: string;
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
    .option('--reason <text>', 'why; kept with the version');
}

async function editTask(name: string, options: EditOptions, context: Context): Promise<void> {
  await withFleet(context, async (fleet) => {
    const params = await taskNamed(fleet, name);
    if (options.dropPending) {
      const { dropped } = await fleet.call(dropPendingTaskChange, { params, query: { reason: options.reason } });
      context.output.note(dropped ? 'the change that waited is forgotten' : 'no change was waiting');
    }
    const task = await fleet.call(getTask, { params });
    const body = editsOf(task.definition, options);
    if (body.length > 0) {
      const change = {
        task,
        preview: (query: Asked) => fleet.call(previewTaskChange, { params, query, body }),
        save: (query: Asked) => fleet.call(patchTask, { params, query: { ...query, reason: options.reason }, body }),
      };
      await carryOut(change, options, context);
    } else if (!options.dropPending)
      throw new EscapementError('nothing_to_edit', `nothing about ${name} is to be changed`, {
        fix: 'give --set, --unset, --cron, --tz or --drop-pending',
      });
  });
}

/** What is to be changed, one after the other. */
function editsOf({ schedule }: TaskDefinition, { set, unset, cron, tz }: EditOptions): DefinitionEdit[] {
  return [
    ...(cron === undefined ? [] : [{ set: ['schedule'], value: cronSchedule(schedule, cron, tz) }]),
    ...(cron === undefined && tz !== undefined ? [{ set: ['schedule', 'timeZone'], value: tz }] : []),
    ...unset.map((path) => ({ unset: readPath(path) })),
    ...set.map(readAssignment),
  ];
}

/** A new expression keeps what else a cron schedule says. */
function cronSchedule(schedule: TaskDefinition['schedule'], expression: string, tz: string | undefined): object {
  const before = schedule.kind === 'cron' ? schedule : { kind: 'cron', timeZone: systemZone() };
  return { ...before, expression, ...(tz === undefined ? {} : { timeZone: tz }) };
}

async function revertTask(name: string, options: ChangeOptions & { to: number }, context: Context): Promise<void> {
  await withFleet(context, async (fleet) => {
    const params = await taskNamed(fleet, name);
    const version = options.to;
    const change = {
      task: await fleet.call(getTask, { params }),
      preview: (query: Asked) => fleet.call(previewTaskChange, { params, query: { ...query, version }, body: {} }),
      save: (query: Asked) =>
        fleet.call(revert, { params, query: { ...query, reason: options.reason }, body: { version } }),
    };
    await carryOut(change, options, context);
  });
}

/** From when on a change counts, and for how long its fires are compared. */
interface Asked {
  effectiveAt: string | undefined;
  days: number;
  timeZone: string;
}

interface Change {
  task: { source: string };
  preview: (query: Asked) => Promise<AnswerOf<typeof previewTaskChange>>;
  save: (query: Asked) => Promise<AnswerOf<typeof patchTask>>;
}

async function carryOut({ task, preview, save }: Change, options: ChangeOptions, context: Context): Promise<void> {
  const { output } = context;
  const { days, plan } = options;
  const effectiveAt = effectiveOf(options, context);
  const query = { effectiveAt: effectiveAt?.toISOString(), days, timeZone: systemZone() };
  const result = plan ? { kind: 'planned', effect: (await preview(query)).effect } : savedView(await save(query));
  const { effect } = result;
  output.result(result, () => effectLines(effect, days));
  if (plan) output.note('nothing was changed: this is the plan');
  else if (effectiveAt) output.note(`it counts from ${inUtc(effectiveAt)} on`);
  const undoing = effect.action === 'unchanged' ? undefined : undoneBy(task.source);
  if (undoing !== undefined) output.note(`the task belongs to ${task.source}: ${undoing}`);
}

function effectiveOf({ effective }: ChangeOptions, { clock }: Context): Date | undefined {
  if (effective === undefined) return undefined;
  return readInstant(effective, { what: '--effective', now: clock.now(), spans: 'ahead', timeZone: systemZone() });
}
