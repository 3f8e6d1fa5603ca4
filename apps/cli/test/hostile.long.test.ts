import { saveTask, triggerTask } from '@escapement/operations';
import { by, finishedRun } from '@escapement/testkit';
import { fuzzOptions } from '@escapement/testkit/fuzz';
import type { Command, Option } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProgram, pathOf } from '../src/program.ts';
import { cliDatabase, runCli } from './cli.ts';
import { silentContext } from './silent-context.ts';

/** `npm run fuzz` asks for more, and for others. */
const { inputs, seed } = fuzzOptions({ FUZZ_INPUTS: '1000', ...process.env });

const { db, env } = await cliDatabase();
await saveTask(
  db,
  {
    name: 'a-task',
    handler: { type: 'shell', command: 'true' },
    schedule: { kind: 'every', everyMs: 3_600_000 },
    state: {},
  },
  { source: 'api', by: by('root') },
);
const run = await triggerTask(db, 'a-task', { by: by('root') });
await finishedRun(db, 'ended');

/** They change this machine, start programs, go on for ever, wait for a scheduler, or end what the others need. */
const LEFT_OUT =
  /^(init|dev|build|start|migrate|mcp|login|logout|top|report|doctor|restore-check|freeze|shadow (un)?patch|import (host|run-parts|bullmq)|runs watch|keys release|tasks delete|tokens revoke)/;

/** As a shell hands them over: no NUL. Lone halves of surrogate pairs come from a terminal that is not UTF-8. */
const TEXTS = [
  ...[
    '',
    ' ',
    '-',
    '\ud800',
    '\u202eabc',
    '__proto__',
    'NaN',
    'Infinity',
    '-1',
    '0',
    '9007199254740993',
    '1e400',
    '{}',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01',
  ],
  ...[
    '9999-12-31',
    '+275760-09-13T00:00:00.000Z',
    '9999999d',
    '-9999999d',
    `${'9'.repeat(400)}d`,
    '1970-01-01T00:00:00Z',
  ],
  ...[
    '{"id":9007199254740993}',
    '{"__proto__":{"a":1}}',
    '{"a":"\\u0000"}',
    '["\\ud800"]',
    'a=\0',
    'payload.id=9007199254740993',
  ],
  ...[
    '[['.repeat(5_000),
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'x'.repeat(100_000),
    '0 0 * * * * 9999',
    'a.__proto__.b=1',
  ],
  ...[
    'ffffffff-ffff-7fff-bfff-ffffffffffff',
    'name: a\npayload: 9007199254740993\nschedule: { kind: once, at: "0000-01-01T00:00:00Z" }',
  ],
];

/** A value that fits an argument or option of this name, more or less. */
function fitting(name: string): string {
  if (/file|path/.test(name)) return '-';
  if (/instant/.test(name)) return '2h';
  if (/^(n|version|seconds|slot|minutes|days)$/.test(name)) return '1';
  if (/^id$/.test(name)) return run;
  return { role: 'viewer', states: 'failed', expr: '* * * * *', outcome: 'failed', text: 'so' }[name] ?? 'a-task';
}

interface Line {
  args: string[];
  input: string;
}

/** Each argument and option of each command with each hostile value; what is required besides fits. */
async function hostileLines(): Promise<Line[]> {
  const found: Line[] = [];
  const walk = (command: Command): void => {
    for (const inner of command.commands) walk(inner);
    if (command.commands.length === 0 && !LEFT_OUT.test(pathOf(command))) found.push(...linesOf(command));
  };
  walk(await createProgram([], silentContext, () => {}));
  return found;
}

function linesOf(command: Command): Line[] {
  const words = command.registeredArguments;
  const valued = command.options.filter(({ required, long }) => required && long !== '--watch');
  const line = (value: string, at: number, option?: Option): Line => {
    const given = words.map((word, index) => (index === at ? value : fitting(word.name())));
    const needed = words.flatMap((word, index) => (word.required || index === at ? [given[index] ?? ''] : []));
    const mandatory = valued.filter((each) => each.mandatory && each !== option);
    const options = mandatory.flatMap((each) => [`${each.long}=${fitting(nameOf(each))}`]);
    const own = option ? [`${option.long}=${value}`] : [];
    return { args: [...pathOf(command).split(' '), ...options, ...own, '--', ...needed], input: value };
  };
  return TEXTS.flatMap((value) => [
    ...words.map((_, at) => line(value, at)),
    // A file that has the value in it.
    ...(words.some((word) => fitting(word.name()) === '-') ? [line(value, -1)] : []),
    ...valued.map((option) => line(value, -1, option)),
  ]);
}

function nameOf({ flags }: Option): string {
  return /<([^>.]+)/.exec(flags)?.[1] ?? '';
}

test('whatever value an argument, an option or a file has, the command says what is wrong with it, and makes no mistake of its own', async () => {
  const all = await hostileLines();
  expect(all.length).toBeGreaterThan(5_000);
  const [order = []] = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { seed, numRuns: 1 });
  const wrong: string[] = [];
  for (const { args, input } of order.slice(0, inputs)) {
    const { stderr, stdout } = await runCli(args, { env, input, signal: AbortSignal.abort() });
    const mistake = [stderr, stdout].find((text) => /a mistake in escapement itself|\n {4}at /.test(text));
    if (mistake !== undefined) wrong.push(`${JSON.stringify(args).slice(0, 300)}: ${mistake.slice(0, 800)}`);
    if (wrong.length >= 10) break;
  }
  expect(wrong).toEqual([]);
}, 600_000);
