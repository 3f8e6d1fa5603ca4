import type { AnswerOf } from '@escapement/api/calls';
import { acknowledgeAlert, getAlert, listAlerts } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { pagedItems, withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readNote, readSelector } from '../options.ts';
import { fromNow, inUtc } from '../output/wording.ts';

type AlertView = AnswerOf<typeof getAlert>;

interface ListOptions {
  all?: boolean;
  task?: string;
  label?: LabelSelector;
  limit: number;
}

/** `alerts list`, `show` and `ack`. */
export function addAlerts(alerts: Command, context: Context): void {
  alerts
    .command('list')
    .description('what is wrong now: alerts that fire, or will')
    .option('--all', 'those that are over as well')
    .option('--task <name>', 'only those of a task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--limit <n>', 'at most so many', readCount('--limit', 1, 10_000), 100)
    .action((options: ListOptions) => list(options, context));
  alerts
    .command('show')
    .description('everything about an alert')
    .argument('<id>', 'its number', readAlertId)
    .action((id: bigint) => show(id, context));
  alerts
    .command('ack')
    .description('say that you look after a firing alert: it is not told again until it is over')
    .argument('<id>', 'its number', readAlertId)
    .option('--reason <text>', 'what you do about it', readNote('--reason'))
    .action((id: bigint, options: { reason?: string }) => ack(id, options, context));
}

/** Throws `bad_id`. */
export function readAlertId(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new EscapementError('bad_id', `"${text}" is no number of an alert or a silence`, {
    fix: 'see `escapement alerts list`, or `escapement alerts silences`',
  });
}

async function list({ all, task, label, limit }: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const query = { all: all ? 'true' : 'false', task, label: label?.text } as const;
  const found = await withFleet(context, (fleet) =>
    pagedItems(limit, (page) => fleet.call(listAlerts, { query: { ...query, ...page } })),
  );
  const now = clock.now();
  output.table(found, found, [
    { title: 'ID', value: ({ id }) => String(id), align: 'right', whole: true },
    { title: 'STATE', value: stateOf },
    { title: 'SEVERITY', value: ({ severity }) => severity },
    { title: 'RULE', value: ({ rule }) => rule },
    { title: 'SINCE', value: ({ since }) => fromNow(since, now) },
    { title: 'WHAT', value: ({ summary }) => summary, wraps: true },
  ]);
  if (found.length === 0)
    output.note(all ? 'there was no alert in the last 90 days' : 'nothing is wrong: no rule fires');
}

function stateOf({ state, acknowledgedBy, muted }: AlertView): string {
  if (state !== 'firing') return state;
  if (acknowledgedBy !== null) return `firing, ${acknowledgedBy} is on it`;
  return muted === null ? 'firing' : 'firing, not told';
}

async function show(id: bigint, context: Context): Promise<void> {
  const alert = await withFleet(context, (fleet) => fleet.call(getAlert, { params: { id: String(id) } }));
  context.output.result(alert, () => linesOf(alert));
}

function linesOf(alert: AlertView): string[] {
  const { summary, rule, severity, since, seen, runs, why, notified, muted, resolvedAt, resolvedWhy, note } = alert;
  const facts: [string, string | null][] = [
    ['State', stateOf(alert)],
    ['Rule', `${rule} (${severity})`],
    ['Since', inUtc(since)],
    ['Over', resolvedAt && `${inUtc(resolvedAt)}${resolvedWhy === null ? '' : `: ${resolvedWhy}`}`],
    ['Seen', seen > 1 ? `${seen} times` : null],
    ['Told', notified.length > 0 ? notified.map(({ receiver }) => receiver).join(', ') : 'nobody'],
    ['Not told', muted],
    ['Note', note],
  ];
  return [
    summary,
    '',
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${`${name}:`.padEnd(10)} ${value}`])),
    ...section('Why', why),
    ...section(
      'Runs',
      runs.map((run) => `${run.id}  due ${inUtc(new Date(run.scheduledFor))}`),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

async function ack(id: bigint, { reason }: { reason?: string }, context: Context): Promise<void> {
  const asked = { params: { id: String(id) }, body: { reason } };
  await withFleet(context, (fleet) => fleet.call(acknowledgeAlert, asked));
  context.output.result({ id, acknowledged: true }, () => [
    `alert ${id} is yours; it is not told again until it is over`,
  ]);
}
