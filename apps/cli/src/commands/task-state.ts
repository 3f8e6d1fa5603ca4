import type { AnswerOf } from '@escapement/api/calls';
import { dropTaskState, listTaskState, setTaskState } from '@escapement/api/routes';
import { admitJson, EscapementError, type Json, MAX_STATE_BYTES, parseJson } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { MAX_WORDS, readCount, readNote, readUtf8 } from '../options.ts';
import { inUtc } from '../output/wording.ts';
import { taskNamed } from './one-task.ts';

type KeptState = AnswerOf<typeof listTaskState>['items'][number];

const MOST_STATES = 10_000;

/** `tasks state show`, `set` and `drop`. */
export function addTaskState(tasks: Command, context: Context): void {
  const state = tasks.command('state').description('what a task keeps between its runs');
  const reason = ['--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`] as const;
  state
    .command('show')
    .description('the state of each key, and who changed it; the last change first')
    .argument('<task>', 'name of the task')
    .option('--key <key>', 'only this key, in full')
    .option('--limit <n>', 'how many keys', readCount('--limit', 1, MOST_STATES), 50)
    .action((name: string, options: ShowOptions) => show(name, options, context));
  state
    .command('set')
    .description('set the state of a key by hand; a running run that changes it too will fail')
    .argument('<task>', 'name of the task')
    .argument('<file>', 'JSON as the task keeps it; - for standard input')
    .requiredOption(...reason, readNote('--reason'))
    .option('--key <key>', 'which key; default: the key of the scheduled runs')
    .action((name: string, file: string, options: EditOptions) => set(name, file, { ...options, context }));
  state
    .command('drop')
    .description('delete the state of a key; the next run begins as the first run did')
    .argument('<task>', 'name of the task')
    .requiredOption(...reason, readNote('--reason'))
    .option('--key <key>', 'which key; default: the key of the scheduled runs')
    .action((name: string, options: EditOptions) => drop(name, options, context));
}

interface ShowOptions {
  key?: string;
  limit: number;
}

interface EditOptions {
  key?: string;
  reason: string;
}

async function show(name: string, { key, limit }: ShowOptions, context: Context): Promise<void> {
  const { output } = context;
  const { items: states } = await withFleet(context, async (fleet) =>
    fleet.call(listTaskState, { params: await taskNamed(fleet, name), query: { key, limit } }),
  );
  if (key !== undefined && output.format === 'table') return showOne(states[0], key, context);
  output.table(states, states, [
    { title: 'KEY', value: (state) => state.key },
    { title: 'VERSION', value: ({ version }) => String(version), align: 'right' },
    { title: 'CHANGED', value: ({ updatedAt }) => inUtc(updatedAt) },
    { title: 'BY', value: ({ updatedBy }) => updatedBy },
    { title: 'STATE', value: ({ value }) => JSON.stringify(value), wraps: true },
  ]);
  if (states.length === 0) output.note(`task ${name} keeps nothing yet`);
}

function showOne(state: KeptState | undefined, key: string, { output }: Context): void {
  if (!state) return output.note(`nothing is kept for the key "${key}"`);
  output.result(state, () => JSON.stringify(state.value, null, 2).split('\n'));
  output.note(`version ${state.version}, changed ${inUtc(state.updatedAt)} by ${state.updatedBy}`);
}

async function set(name: string, file: string, { context, key, reason }: EditOptions & { context: Context }) {
  const value = readState(await readUtf8(file, context.stdin), file);
  const { key: set } = await withFleet(context, async (fleet) =>
    fleet.call(setTaskState, { params: await taskNamed(fleet, name), body: { key, value, reason } }),
  );
  context.output.result({ task: name, key: set, value }, () => [`the state of key "${set}" is set`]);
}

async function drop(name: string, { key, reason }: EditOptions, context: Context): Promise<void> {
  const { key: dropped } = await withFleet(context, async (fleet) =>
    fleet.call(dropTaskState, { params: await taskNamed(fleet, name), query: { key, reason } }),
  );
  context.output.result({ task: name, key: dropped, dropped: true }, () => [
    `the state of key "${dropped}" is forgotten`,
  ]);
}

function readState(text: string, file: string): Json {
  try {
    return admitJson(parseJson(text, 'the state'), 'the state', MAX_STATE_BYTES);
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EscapementError('bad_json', `${file} is not JSON: ${why}`, { fix: 'give what the task keeps, as JSON' });
  }
}
