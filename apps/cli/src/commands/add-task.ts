import { createTask, previewNewTask } from '@escapement/api/routes';
import { checkUnknownTask, readSpan, type TaskDefinition } from '@escapement/core';
import { taskExists } from '@escapement/operations';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { type NewTask, newTask } from '../changes/new-task.ts';
import { savedView } from '../changes/saved.ts';
import { effectLines } from '../changes/show-effect.ts';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { gather, readCount, readJson, readPool, readZone } from '../options.ts';
import { systemZone } from '../output/wording.ts';
import { readLabel } from './label-option.ts';

interface AddOptions extends Omit<NewTask, 'everyMs' | 'timeoutMs'> {
  every?: number;
  timeout?: number;
  plan: boolean;
  days: number;
  reason?: string;
}

export function addTaskAdd(tasks: Command, context: Context): void {
  tasks
    .command('add')
    .description('make a task that runs a command or sends a request; prints it as `escapement apply` would read it')
    .argument('<name>', 'name of the new task')
    .argument('[command...]', 'after --: one word is a line for the shell, several are a program and its arguments')
    .option('--cron <expression>', 'when, as a cron expression; without --cron, --every and --at it is only triggered')
    .option('--tz <zone>', 'zone of --cron or --at; default: that of this machine', readZone)
    .option('--every <span>', 'when, as a distance: 30s, 15m, 2h, 7d', readSpan('--every'))
    .option('--at <instant>', 'once: ISO 8601, or a span from now such as 2h')
    .option('--http <url>', 'send a request there, instead of a command')
    .option('--description <text>', 'for people')
    .option('--pool <name>', 'which workers run it; default: `default`', readPool)
    .option('--run-on <how>', '`every-worker`: each occurrence is a run on every worker of the pool')
    .option('-l, --label <name=value>', 'as in team=shop; may be repeated', readLabel, {})
    .option('--key <key>', "what excludes its runs from each other; default: the task's name")
    .option('--overlap <policy>', 'what a run does while another one has the key: skip, wait-one, wait-all, ...')
    .option('--timeout <span>', 'longest time of one attempt; default: 1h', readSpan('--timeout'))
    .option('--attempts <n>', 'tries in all, 1 to 1000; default: 1', readCount('--attempts', 1, 1000))
    .option(
      '--pause-after-failures <n>',
      'pause it as soon as so many occurrences in a row have failed, 1 to 100; default: never',
      readCount('--pause-after-failures', 1, 100),
    )
    .option('--payload <json>', 'JSON for its runs', readJson)
    .option('--set <path=value>', 'anything else, as `tasks edit` takes it; may be repeated', gather, [])
    .option('--plan', 'only show it; make nothing', false)
    .option('--days <n>', 'show the occurrences of this many days', readCount('--days', 1, 366), 7)
    .option('--reason <text>', 'why; kept with the version')
    .action((name: string, command: string[], options: AddOptions) => addTask(name, command, options, context));
}

async function addTask(name: string, command: string[], options: AddOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const { plan, days, reason, every, timeout, ...rest } = options;
  const spans = {
    ...(every === undefined ? {} : { everyMs: every }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
  const task = newTask(name, command, { ...rest, ...spans }, clock.now());
  const body = checkUnknownTask(task);
  const asked = { body, days, timeZone: systemZone() };
  const result = await withFleet(context, (fleet) => (plan ? planned(fleet, asked) : made(fleet, asked, reason)));
  // Comments, so that all of it can go into a file.
  output.result({ ...result, task, effect: result.effect }, () => [
    ...stringify(task).trimEnd().split('\n'),
    ...effectLines(result.effect, days).map((line) => `# ${line}`),
  ]);
  if (plan) output.note('nothing was made: this is the plan');
}

interface Asked {
  body: TaskDefinition;
  days: number;
  timeZone: string;
}

/** Throws `task_exists`. */
async function planned(fleet: Calls, { body, ...query }: Asked) {
  const { version, effect } = await fleet.call(previewNewTask, { query, body });
  if (version !== null) throw taskExists(body.name);
  return { kind: 'planned', effect };
}

/** Throws `task_exists`. */
async function made(fleet: Calls, { body, ...asked }: Asked, reason: string | undefined) {
  const query = { ...asked, reason, source: 'cli' } as const;
  return savedView(await fleet.call(createTask, { query, body }));
}
