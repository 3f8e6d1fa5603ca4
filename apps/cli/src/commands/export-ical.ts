import { exportCalendar } from '@escapement/api/routes';
import { briefly, readInstant } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readPool, readSelector } from '../options.ts';
import { counted, systemZone } from '../output/wording.ts';

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
  const query = { from: from.toISOString(), days, mostADay, pool, label: label?.text };
  const { text, events, left } = await withFleet(context, (fleet) => fleet.call(exportCalendar, { query }));
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
  return briefly(names, NAMED);
}
