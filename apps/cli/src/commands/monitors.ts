import type { AnswerOf } from '@escapement/api/calls';
import {
  createMonitor,
  deleteMonitor,
  getMonitor,
  listMonitors,
  listPings,
  patchMonitor,
  pauseMonitor,
  renewPingUrl,
  resumeMonitor,
} from '@escapement/api/routes';
import { EscapementError, formatSpan, readSpan, timesInWords } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { MAX_WORDS, readCount, readNote, readZone } from '../options.ts';
import { tableLines } from '../output/table.ts';
import { inUtc, span, systemZone } from '../output/wording.ts';
import { readLabel } from './label-option.ts';
import { pauseEnd } from './pause-end.ts';

interface ExpectedOptions {
  cron?: string;
  tz?: string;
  every?: number;
  grace?: number;
  maxRun?: number;
  label: Record<string, string>;
  reason?: string;
}

interface PauseOptions {
  until?: string;
  reason?: string;
}

const NAME = ['<name>', 'name of the monitor'] as const;
const REASON = [
  '--reason <text>',
  `why, for the audit; at most ${MAX_WORDS} characters`,
  readNote('--reason'),
] as const;

/** `monitors`: jobs that run elsewhere, and say by pings how they are. */
export function addMonitors(program: Command, context: Context): void {
  const monitors = program
    .command('monitors')
    .description('watch jobs that run elsewhere, as in the crontab of another machine: each pings a URL');
  withExpected(monitors.command('create').description('watch a job; tells the URL that it pings, this once')).action(
    (name: string, options: ExpectedOptions) => create(name, options, context),
  );
  monitors
    .command('list')
    .description('the jobs that are watched, and how they are')
    .option('--limit <n>', 'at most this many, 1 to 1000', readCount('--limit', 1, 1000), 200)
    .action((options: { limit: number }) => list(options.limit, context));
  monitors
    .command('show')
    .description('a job, and its last pings')
    .argument(...NAME)
    .option('--pings <n>', 'at most so many of its last pings, 0 to 1000', readCount('--pings', 0, 1000), 10)
    .action((name: string, options: { pings: number }) => show(name, options.pings, context));
  withExpected(monitors.command('edit').description('change what is expected of a job; the rest stays')).action(
    (name: string, options: ExpectedOptions) => edit(name, options, context),
  );
  monitors
    .command('pause')
    .description('expect nothing of a job for a while; its pings are taken all the same')
    .argument(...NAME)
    .option('--until <instant>', 'ISO 8601, or a span such as 2h; default: until resumed')
    .option('--reason <text>', 'why', readNote('--reason'))
    .action((name: string, options: PauseOptions) => pause(name, options, context));
  monitors
    .command('resume')
    .description('expect its pings again, from now on')
    .argument(...NAME)
    .action((name: string) => resume(name, context));
  monitors
    .command('rotate')
    .description('give a job another URL; the one before is of no use from then on')
    .argument(...NAME)
    .option(...REASON)
    .action((name: string, { reason }: { reason?: string }) => rotate(name, reason, context));
  monitors
    .command('delete')
    .description('watch a job no more')
    .argument(...NAME)
    .option(...REASON)
    .action((name: string, { reason }: { reason?: string }) => remove(name, reason, context));
}

function withExpected(command: Command): Command {
  return command
    .argument(...NAME)
    .option('--cron <expression>', "the job's own schedule, as its crontab has it")
    .option('--tz <zone>', 'zone of --cron; default: that of this machine', readZone)
    .option('--every <span>', 'it pings at least so often: 30s, 15m, 2h, 7d', readSpan('--every'))
    .option('--grace <span>', 'a ping may come so much later; default: 1h', readSpan('--grace'))
    .option('--max-run <span>', 'it may take so long from its start; default: as --grace', readSpan('--max-run'))
    .option('-l, --label <name=value>', 'as in team=shop; may be repeated', readLabel, {})
    .option(...REASON);
}

/** Every so often counts from the last ping: nobody has said at which times the job runs. */
function expectedOf({ cron, tz, every, grace, maxRun, label }: ExpectedOptions) {
  if (cron !== undefined && every !== undefined) throw bad('both --cron and --every are given', 'give one of them');
  if (tz !== undefined && cron === undefined) throw bad('--tz is given without --cron', 'leave it out');
  const schedule =
    cron !== undefined
      ? ({ kind: 'cron', expression: cron, timeZone: tz ?? systemZone() } as const)
      : every !== undefined
        ? ({ kind: 'fixed-delay', delayMs: every } as const)
        : undefined;
  const labels = Object.keys(label).length > 0 ? label : undefined;
  return { schedule, graceMs: grace, maxRunMs: maxRun, labels };
}

function bad(message: string, fix: string): EscapementError {
  return new EscapementError('bad_monitor', message, { fix });
}

async function create(name: string, options: ExpectedOptions, context: Context): Promise<void> {
  const { schedule, ...expected } = expectedOf(options);
  if (!schedule) throw bad('it is not said when the job runs', 'give --cron or --every');
  const body = { name, schedule, ...expected, reason: options.reason };
  const made = await withFleet(context, (fleet) => fleet.call(createMonitor, { body }));
  printUrl(made, context);
}

function printUrl(made: AnswerOf<typeof createMonitor>, { output }: Context): void {
  const { name, path, url } = made;
  output.result(made, () => [url ?? path]);
  const where = url === null ? ', below the URL of the API' : '';
  output.note(
    `the job "${name}" pings this URL${where}; it is shown this once: curl -fsS -m 10 --retry 5 --retry-connrefused URL`,
  );
}

type Monitor = AnswerOf<typeof getMonitor>;

async function list(limit: number, context: Context): Promise<void> {
  const { items } = await withFleet(context, (fleet) => fleet.call(listMonitors, { query: { limit } }));
  const { output } = context;
  output.table(items, items, [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'STATE', value: stateOf },
    { title: 'LAST PING', value: ({ lastPingAt }) => (lastPingAt ? inUtc(lastPingAt) : '-') },
    { title: 'DUE', value: ({ dueAt }) => (dueAt ? inUtc(dueAt) : '-') },
    { title: 'EXPECTED', value: expectedWords, wraps: true },
  ]);
  if (items.length === 0) output.note('no job is watched: `escapement monitors create`');
  else if (items.length === limit) output.note(`only the first ${limit}; more: --limit`);
}

function stateOf({ state, troubles }: Monitor): string {
  return troubles.length === 0 ? state : `${state}: ${troubles.map(({ kind }) => kind).join(', ')}`;
}

function expectedWords({ schedule, graceMs }: Monitor): string {
  const when =
    schedule.kind === 'fixed-delay'
      ? `at least every ${formatSpan(Number(schedule.delayMs))}`
      : timesInWords(schedule as ScheduleSpec);
  return `${when}, ${formatSpan(graceMs)} later at most`;
}

async function show(name: string, most: number, context: Context): Promise<void> {
  const { output } = context;
  const params = { name };
  const [monitor, pings] = await withFleet(context, async (fleet) => [
    await fleet.call(getMonitor, { params }),
    most === 0 ? [] : (await fleet.call(listPings, { params, query: { limit: most } })).items,
  ]);
  output.result({ ...monitor, lastPings: pings }, () => [
    ...linesOf(monitor),
    ...(pings.length === 0
      ? []
      : [
          '',
          ...tableLines(
            pings,
            [
              { title: 'AT', value: ({ at }) => inUtc(at) },
              {
                title: 'PING',
                value: ({ kind, exitStatus }) => (exitStatus === null ? kind : `${kind} (${exitStatus})`),
              },
              {
                title: 'TOOK',
                value: ({ durationMs }) => (durationMs === null ? '-' : span(durationMs)),
                align: 'right',
              },
              { title: 'RUN', value: ({ rid }) => rid ?? '-', whole: true },
              { title: 'FROM', value: ({ address }) => address ?? '-' },
              { title: 'SAYS', value: ({ body }) => body?.trimEnd().split('\n').at(-1) ?? '', wraps: true },
            ],
            output.width,
          ),
        ]),
  ]);
}

function linesOf(monitor: Monitor): string[] {
  const { name, maxRunMs, graceMs, lastSuccessAt, failedAt, running, dueAt, pause: paused, pings, labels } = monitor;
  const facts: [string, string | null][] = [
    ['monitor', name],
    ['state', stateOf(monitor)],
    ['expected', expectedWords(monitor)],
    ['may take', formatSpan(maxRunMs ?? graceMs)],
    ['due', dueAt && inUtc(dueAt)],
    ['last success', lastSuccessAt ? inUtc(lastSuccessAt) : 'never'],
    ['fails since', failedAt && inUtc(failedAt)],
    [
      'running',
      running.length === 0
        ? null
        : running.map(({ rid, since }) => `${rid ?? 'a run'} since ${inUtc(since)}`).join(', '),
    ],
    [
      'paused',
      paused &&
        `${paused.untilAt ? `until ${inUtc(paused.untilAt)}` : 'until resumed'}${paused.by ? ` by ${paused.by}` : ''}${paused.note ? `: ${paused.note}` : ''}`,
    ],
    [
      'labels',
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(', ') || null,
    ],
    ['pings', pings],
    ['made', `${inUtc(monitor.createdAt)} by ${monitor.createdBy}`],
  ];
  return facts.flatMap(([title, value]) => (value ? [`${`${title}:`.padEnd(13)} ${value}`] : []));
}

async function edit(name: string, options: ExpectedOptions, context: Context): Promise<void> {
  const asked = { params: { name }, query: { reason: options.reason }, body: expectedOf(options) };
  const monitor = await withFleet(context, (fleet) => fleet.call(patchMonitor, asked));
  context.output.result(monitor, () => [`the monitor "${name}" is changed: ${expectedWords(monitor)}`]);
}

async function pause(name: string, options: PauseOptions, context: Context): Promise<void> {
  const untilAt = pauseEnd(options, context);
  const body = { untilAt: untilAt?.toISOString() ?? null, reason: options.reason };
  await withFleet(context, (fleet) => fleet.call(pauseMonitor, { params: { name }, body }));
  context.output.result({ name, paused: true, untilAt, reason: options.reason ?? null }, () => [
    `the monitor "${name}" is paused ${untilAt ? `until ${inUtc(untilAt)}` : 'until resumed'}`,
  ]);
}

async function resume(name: string, context: Context): Promise<void> {
  const { wasPaused } = await withFleet(context, (fleet) => fleet.call(resumeMonitor, { params: { name }, body: {} }));
  context.output.result({ name, paused: false, wasPaused }, () => [
    wasPaused ? `the monitor "${name}" is expected again` : `the monitor "${name}" was not paused`,
  ]);
}

async function rotate(name: string, reason: string | undefined, context: Context): Promise<void> {
  const asked = { params: { name }, body: { reason } };
  printUrl(await withFleet(context, (fleet) => fleet.call(renewPingUrl, asked)), context);
}

async function remove(name: string, reason: string | undefined, context: Context): Promise<void> {
  await withFleet(context, (fleet) => fleet.call(deleteMonitor, { params: { name }, query: { reason } }));
  context.output.result({ name }, () => [`the monitor "${name}" is deleted; its URL is of no use any more`]);
}
