import { randomUUID } from 'node:crypto';
import type { AnswerOf } from '@escapement/api/calls';
import { findTask, getTask, triggerRun } from '@escapement/api/routes';
import { EscapementError, FAILED_STATES, type Json, MAX_PAYLOAD_BYTES, SECOND } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, type SeenRun, schedulersAlive, withFleet } from '../fleet.ts';
import { readJson, readJsonFile } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { inUtc } from '../output/wording.ts';
import { bulk, manyTasks, type TasksOptions, withTasks } from './bulk.ts';
import { type DueTime, dueAt } from './due-time.ts';
import { followRun } from './follow.ts';

interface TriggerOptions extends TasksOptions, DueTime {
  payload?: Json;
  payloadFile?: string;
  key?: string;
  worker?: string;
  wait: boolean;
}

export function addTrigger(tasks: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = tasks
    .command('trigger')
    .description('run a task now or at a time, or all with these labels now')
    .argument('[name]', 'name of the task')
    .option(
      '--payload <json>',
      `JSON for this run instead of the task's own, at most ${MAX_PAYLOAD_BYTES} bytes`,
      readJson,
    )
    .option('--payload-file <file>', 'the same from a file; - for standard input')
    .option('--key <key>', "the key of this run instead of the task's own; may hold {{payload.field}}")
    .option('--worker <name>', 'of a task that runs on every worker: only on this one')
    .option('--at <instant>', "when the run is due: ISO 8601, or a time in this machine's zone; default: now")
    .option('--in <span>', 'how long from now it is due: 90s, 15m, 2h, 7d')
    .option('--wait', 'show the log, wait for the end; exit code 1 if the run fails, 4 if it is not carried out', false)
    .action(async (name: string | undefined, options: TriggerOptions) => {
      const labels = manyTasks(name, options);
      if (labels) await triggerMany(labels, options, context);
      else end(await trigger(name ?? '', options, context));
    });
  withTasks(command);
}

/** Each with its own payload, and its own end. */
async function triggerMany(labels: LabelSelector, options: TriggerOptions, context: Context): Promise<void> {
  const { payload, payloadFile, key, worker, wait, at, in: span } = options;
  const ofEach = {
    '--wait': wait || undefined,
    '--payload': payload,
    '--payload-file': payloadFile,
    '--key': key,
    '--worker': worker,
    '--at': at,
    '--in': span,
  };
  const [ofOne] = Object.entries(ofEach).find(([, given]) => given !== undefined) ?? [];
  if (ofOne !== undefined)
    throw new EscapementError('too_much_selected', `${ofOne} is for one task`, {
      fix: 'trigger each by its name',
    });
  await bulk({ action: 'trigger', labels }, { ...options, of: 'task', done: 'triggered', reason: undefined }, context);
}

async function trigger(name: string, options: TriggerOptions, context: Context): Promise<ExitCode> {
  const { wait, key, worker } = options;
  const { output } = context;
  const payload = await payloadOf(options, context);
  const at = dueAt(options, context);
  return await withFleet(context, async (fleet) => {
    const body = { task: name, payload, key, worker, at: at?.toISOString() };
    // With a key: asked for again where the answer was lost, it makes no second run.
    const { runs } = await fleet.call(triggerRun, { body }, { headers: { 'idempotency-key': randomUUID() } });
    if (at) output.note(`${runs.length === 1 ? 'it is' : 'they are'} due ${inUtc(at)}`);
    if (!wait) {
      print(runs, name, context);
      return EXIT.ok;
    }
    const ends: ExitCode[] = [];
    for (const run of runs) ends.push(await follow(fleet, { ...run, name }, context));
    return ends.find((end) => end !== EXIT.ok) ?? EXIT.ok;
  });
}

/** Of a task that runs on every worker each run, with the worker that it belongs to. */
type TriggeredRun = AnswerOf<typeof triggerRun>['runs'][number];

function print(runs: readonly TriggeredRun[], task: string, { output }: Context): void {
  const [run] = runs;
  if (run?.worker === null) return output.result({ id: run.id, task }, () => [run.id]);
  output.result({ task, runs }, () => runs.map(({ id, worker }) => `${id}  ${worker}`));
}

/** Shows the log of a run until its end. */
async function follow(
  fleet: Calls,
  { id, worker, name }: TriggeredRun & { name: string },
  context: Context,
): Promise<ExitCode> {
  const { output } = context;
  const signal = context.interruptible();
  output.note(`run ${id}${worker === null ? '' : ` on ${worker}`}`);
  const onLook = hintAtMissing(fleet, name, context);
  const run = await followRun(fleet, id, { signal, log: output.format === 'table' && 'visible', onLook }, context);
  if (output.format === 'json') output.result(run, () => []);
  else if (run.output !== null && run.output !== undefined) output.note(`output: ${JSON.stringify(run.output)}`);
  output.note(`${run.state}${run.reason ? `: ${run.reason}` : ''}`);
  return exitOf(run);
}

/** Throws `bad_json`, and what reading a file throws. */
async function payloadOf({ payload, payloadFile }: TriggerOptions, context: Context): Promise<Json | undefined> {
  if (payloadFile === undefined) return payload;
  if (payload === undefined) return await readJsonFile(payloadFile, context.stdin);
  throw new EscapementError('bad_json', 'both --payload and --payload-file are given', { fix: 'give one of them' });
}

function exitOf({ state }: SeenRun): ExitCode {
  if (state === 'succeeded') return EXIT.ok;
  return FAILED_STATES.includes(state) || state === 'unknown' ? EXIT.failed : EXIT.notRun;
}

const HINT_AFTER_MS = 5 * SECOND;

/** Says once what is missing when a run does not start. */
function hintAtMissing(fleet: Calls, task: string, context: Context): (run: SeenRun) => Promise<void> {
  const { clock, output } = context;
  const sinceMs = clock.monotonicMs();
  let said = false;
  return async (run) => {
    if (said || run.startedAt || clock.monotonicMs() - sinceMs < HINT_AFTER_MS) return;
    said = true;
    for (const reason of await whyItWaits(fleet, task)) output.note(`it waits: ${reason}`);
  };
}

/** What is known of it to whoever may see the fleet. */
async function whyItWaits(fleet: Calls, name: string): Promise<string[]> {
  try {
    const alive = await schedulersAlive(fleet);
    const { id } = await fleet.call(findTask, { query: { name } });
    const { pool } = await fleet.call(getTask, { params: { id } });
    return [...(alive === false ? ['no scheduler is alive'] : []), ...(pool.waits ? [pool.waits.reason] : [])];
  } catch (error) {
    if (error instanceof EscapementError && error.code === 'not_allowed') return [];
    throw error;
  }
}
