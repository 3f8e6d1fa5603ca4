import {
  type CronSpec,
  describeSchedule,
  EscapementError,
  nextFire,
  parseSchedule,
  type Schedule,
} from '@escapement/core';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { readInstant } from '../instant.ts';
import { readCount, readZone } from '../options.ts';
import { fromNow, inUtc, inZone, systemZone } from '../output/wording.ts';

interface NextOptions {
  tz?: string;
  count: number;
  after?: string;
  dialect: NonNullable<CronSpec['dialect']>;
}

export function addNext(program: Command, context: Context): void {
  program
    .command('next')
    .description('show when a cron expression fires next; needs no server')
    .argument('<expr...>', 'cron expression or macro, best in quotes: "0 3 * * mon-fri", @daily')
    .option('--tz <zone>', "IANA time zone; default: this machine's", readZone)
    .option('--count <n>', 'how many times, 1 to 1000', readCount('--count', 1, 1000), 5)
    .option('--after <instant>', 'from then on: ISO 8601, or a time in the zone; default: now')
    .addOption(new Option('--dialect <name>', 'how it is written').choices(['unix', 'vixie', 'quartz']).default('unix'))
    .action((words: string[], options: NextOptions) => showNext(words.join(' '), options, context));
}

function showNext(expression: string, options: NextOptions, { clock, output }: Context): void {
  const timeZone = options.tz ?? systemZone();
  if (!options.tz) output.note(`zone: ${timeZone} (this machine's; another one: --tz)`);
  const now = clock.now();
  const after =
    options.after === undefined ? now : readInstant(options.after, { what: '--after', now, spans: 'ahead', timeZone });
  const schedule = parseSchedule({ kind: 'cron', expression, dialect: options.dialect, timeZone });
  const fires = takeFires(schedule, after, options.count);
  const meaning = describeSchedule(schedule);
  if (output.format === 'table') output.text(`${expression}: ${meaning}, ${timeZone}\n\n`);
  const rows = fires.map((at) => ({ at, local: inZone(at, timeZone) }));
  const json = { expression, dialect: options.dialect, timeZone, meaning, after, next: rows };
  output.table(json, rows, [
    { title: 'LOCAL TIME', value: ({ local }) => local },
    { title: 'UTC', value: ({ at }) => inUtc(at) },
    { title: 'FROM NOW', value: ({ at }) => fromNow(at, now) },
  ]);
  if (fires.length < options.count) output.note('it never fires again after that');
}

function takeFires(schedule: Schedule, after: Date, count: number): Date[] {
  const fires: Date[] = [];
  for (let fire = nextFire(schedule, after); fire && fires.length < count; fire = nextFire(schedule, fire))
    fires.push(fire);
  if (fires.length > 0) return fires;
  throw new EscapementError('never_fires', `it never fires after ${after.toISOString()}`, {
    fix: 'give an earlier --after',
  });
}
