import {
  type CalendarEvent,
  DAY,
  describeSchedule,
  type ForecastTask,
  type LabelSelector,
  readInstant,
  runsAhead,
  toICalendar,
} from '@escapement/core';
import { readForecastTasks } from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readPool, readSelector } from '../options.ts';
import { counted, span, systemZone } from '../output/wording.ts';

interface ExportOptions {
  days: number;
  from: string;
  mostADay: number;
  pool?: string;
  label?: LabelSelector;
}

/** `export ical`: what will run, for the calendars of people. */
export function addExportICalendar(group: Command, context: Context): void {
  group
    .command('ical')
    .description('write what will run as an iCalendar (RFC 5545), for the calendars of people')
    .option('--days <n>', 'for so many days, 1 to 366', readCount('--days', 1, 366), 30)
    .option('--from <instant>', 'from then on: ISO 8601, or a span from now such as 12h', 'now')
    .option(
      '--most-a-day <n>',
      'leave out tasks that run more often than that, 1 to 1440',
      readCount('--most-a-day', 1, 1440),
      24,
    )
    .option('--pool <pool>', 'only tasks of one pool', readPool)
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .action((options: ExportOptions) => exportICalendar(options, context));
}

async function exportICalendar(
  { days, mostADay, pool, label, ...options }: ExportOptions,
  context: Context,
): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  const from = readInstant(options.from, { what: '--from', now, spans: 'ahead', timeZone: systemZone() });
  const [namespace, { tasks, unplannable }] = await withDatabase(
    context,
    async (db) => [db.namespace, await readForecastTasks(db, { pool, labels: label })] as const,
  );
  const left = { tooOften: [] as string[], untimed: [] as string[], unplannable };
  const events: CalendarEvent[] = [];
  for (const { task, at } of runsAhead(tasks, { from, to: new Date(from.getTime() + days * DAY) })) {
    if (at === null) left.untimed.push(task.name);
    else if (at.length > mostADay * days) left.tooOften.push(task.name);
    else for (const due of at) events.push(eventOf(task, new Date(due), namespace));
  }
  events.sort((a, b) => a.at.getTime() - b.at.getTime());
  const text = toICalendar(events, { name: `Escapement (${namespace})`, now });
  if (output.format === 'json') return output.result({ text, events, left }, () => []);
  output.raw(text);
  output.note(`${counted(events.length, 'occurrence')} from ${from.toISOString()} on, for ${counted(days, 'day')}`);
  const reasons: [readonly string[], string][] = [
    [left.tooOften, `due more often than ${mostADay} times a day (--most-a-day)`],
    [left.untimed, 'due at no time that is known: by hand, after others, or after an end'],
    [left.unplannable, 'cannot be planned'],
  ];
  for (const [names, why] of reasons) if (names.length > 0) output.note(`left out, ${why}: ${named(names)}`);
}

const NAMED = 10;

function named(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`;
}

/** Shown as long as half of the runs of the task take at most; a minute, where that is not known. */
const UNKNOWN_MS = 60_000;

function eventOf({ name, schedule, pool, took }: ForecastTask, at: Date, namespace: string): CalendarEvent {
  const length =
    took === null
      ? 'not known how long it takes'
      : `half of its runs take ${span(took.p50Ms)} at most, 95 % ${span(took.p95Ms)}`;
  return {
    uid: `${name}-${at.getTime()}@${namespace}.escapement`,
    at,
    lengthMs: took?.p50Ms ?? UNKNOWN_MS,
    summary: name,
    description: `${describeSchedule(schedule)}\npool ${pool}\n${length}`,
    category: pool,
  };
}
