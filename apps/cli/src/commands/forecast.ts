import type { AnswerOf } from '@escapement/api/calls';
import { getForecast } from '@escapement/api/routes';
import { readInstant } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { STEPS, type Step } from '@escapement/operations';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readPool, readSelector, readZone } from '../options.ts';
import type { Column } from '../output/table.ts';
import { counted, inUtc, inZone, span, systemZone } from '../output/wording.ts';

type Forecast = AnswerOf<typeof getForecast>;
type Piece = Forecast['pieces'][number];
type BusyKey = Forecast['keys'][number];

interface ForecastOptions {
  days: number;
  from: string;
  step?: Step;
  pool?: string;
  key?: string;
  label?: LabelSelector;
  tz: string;
}

/** `forecast`: what will start when, how much of it will be at work at once, and where that is too much. */
export function addForecast(program: Command, context: Context): void {
  program
    .command('forecast')
    .description('what will start when, how much will be at work at once, and where that is more than may be')
    .option('--days <n>', 'for so many days, 1 to 366', readCount('--days', 1, 366), 7)
    .option('--from <instant>', 'from then on: ISO 8601, or a span from now such as 12h', 'now')
    .addOption(
      new Option('--step <length>', 'length of a line; default: so that there are some thirty').choices(
        Object.keys(STEPS),
      ),
    )
    .option('--pool <pool>', 'only tasks of one pool', readPool)
    .option('--key <key>', 'only tasks whose runs have this key')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--tz <zone>', "IANA time zone of the lines; default: this machine's", readZone, systemZone())
    .action((options: ForecastOptions) => showForecast(options, context));
}

async function showForecast(
  { label, from, tz: timeZone, ...options }: ForecastOptions,
  context: Context,
): Promise<void> {
  const { output, clock } = context;
  const begin = readInstant(from, { what: '--from', now: clock.now(), spans: 'ahead', timeZone });
  const query = { ...options, from: begin.toISOString(), label: label?.text, timeZone };
  const found = await withFleet(context, (fleet) => fleet.call(getForecast, { query }));
  output.table(found, found.pieces, columnsOf(found.pieces, timeZone));
  for (const line of remarksOf(found, timeZone)) output.note(line);
}

/** Characters of the longest bar. */
const BAR = 24;

function columnsOf(pieces: readonly Piece[], timeZone: string): Column<Piece>[] {
  const most = Math.max(1, ...pieces.map(({ p95 }) => p95.runs));
  const long = (runs: number) => Math.round((runs / most) * BAR);
  return [
    { title: 'FROM', value: ({ from }) => inZone(from, timeZone).slice(0, 16) },
    { title: 'STARTS', value: ({ starts }) => String(starts), align: 'right' },
    { title: 'AT ONCE', value: ({ p50 }) => String(p50.runs), align: 'right' },
    { title: 'AT MOST', value: ({ p95 }) => String(p95.runs), align: 'right' },
    {
      title: '',
      value: ({ p50, p95 }) => '█'.repeat(long(p50.runs)) + '░'.repeat(Math.max(0, long(p95.runs) - long(p50.runs))),
    },
  ];
}

/** Keys, and names of tasks, that are told. */
const SHOWN = 10;

function remarksOf(found: Forecast, timeZone: string): string[] {
  const { tasks, runs, from, to, keys, unmeasured, untimed, notRun, unplannable } = found;
  const when = `from ${inUtc(from)} to ${inUtc(to)}`;
  const names = (of: readonly string[], all = of.length) =>
    `${of.slice(0, SHOWN).join(', ')}${all > SHOWN ? ` and ${all - SHOWN} more` : ''}`;
  return [
    `${counted(runs, 'run')} of ${counted(tasks, 'task')} ${when}, lines in ${timeZone}. AT ONCE: at work at once, if each takes as long as half of its task's do; AT MOST: as long as only 5 % do. Retries, triggers and followers are not in it`,
    ...found.pools.flatMap((pool) => poolRemark(pool, timeZone)),
    ...keys.slice(0, SHOWN).map((key) => keyRemark(key, timeZone)),
    ...(keys.length > SHOWN ? [`and ${keys.length - SHOWN} more keys: -o json`] : []),
    ...found.clockChanges.map(({ message }) => message),
    ...(unmeasured.tasks === 0
      ? []
      : [
          `not known how long they take, so they are in STARTS alone: ${names(unmeasured.first, unmeasured.tasks)} (${counted(unmeasured.runs, 'run')}). It is learned an hour after the first run`,
        ]),
    ...(untimed === 0
      ? []
      : [`start at no time that is known, but by hand, after others, or after an end: ${counted(untimed, 'task')}`]),
    ...(notRun.paused === 0 ? [] : [`${counted(notRun.paused, 'occurrence')} fall into pauses and freezes`]),
    ...(notRun.excluded === 0 ? [] : [`${counted(notRun.excluded, 'occurrence')} are left out by calendars`]),
    ...(unplannable.length === 0 ? [] : [`cannot be planned: ${names(unplannable)}`]),
  ];
}

function poolRemark({ pool, capacity, p50, p95 }: Forecast['pools'][number], timeZone: string): string[] {
  if (capacity === 0) return [`pool ${pool}: no living worker says how many runs it takes`];
  const [peak, how] = p50.runs > capacity ? [p50, ''] : [p95, ', if runs take as long as only 5 % do'];
  if (peak.runs <= capacity || peak.at === null) return [];
  const at = inZone(peak.at, timeZone).slice(0, 16);
  return [
    `pool ${pool}: its workers take ${counted(capacity, 'run')} at once, and ${peak.runs} want to be at work at ${at}${how}: some start late`,
  ];
}

function keyRemark({ key, limit, runs, p50, p95 }: BusyKey, timeZone: string): string {
  const at = (first: Date | null) => (first === null ? '' : `, first at ${inZone(first, timeZone).slice(0, 16)}`);
  const usual = metWords(p50);
  const rare = metWords(p95);
  const what =
    usual === ''
      ? `${rare} if they take as long as only 5 % do`
      : `${usual}; ${rare} if they take as long as only 5 % do`;
  return `key ${key} (limit ${limit}): of ${counted(runs, 'run')} ${what}${at(p50.firstAt ?? p95.firstAt)}`;
}

function metWords({ wait, skipped, replace, longestWaitMs }: BusyKey['p50']): string {
  const words = [
    skipped > 0 ? `${skipped} skipped` : '',
    wait > 0 ? `${wait} late by up to ${span(longestWaitMs)}` : '',
    replace > 0 ? `${replace} stopping the one before` : '',
  ];
  return words.filter(Boolean).join(', ');
}
