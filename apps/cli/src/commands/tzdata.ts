import type { AnswerOf } from '@escapement/api/calls';
import { listTimeZones } from '@escapement/api/routes';
import type { FireChanges } from '@escapement/core/schedule';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';

type ZoneReport = AnswerOf<typeof listTimeZones>['zones'][number];
type ZoneChange = NonNullable<ZoneReport['change']>;
type TaskChange = ZoneChange['tasks'][number];

interface TzdataOptions {
  days: number;
  since: number;
  tasks: number;
}

/** Differences of two clocks that are told. */
const DIFFERENCES_SHOWN = 5;

/** `tzdata`: by which time zone data tasks are planned, and what a newer release changes. */
export function addTzdata(program: Command, context: Context): void {
  program
    .command('tzdata')
    .description('the time zone data that tasks are planned by, and which of their fires are others by newer data')
    .option('--days <n>', 'fires of the next so many days, 1 to 1100', readCount('--days', 1, 1100), 400)
    .option('--since <n>', 'changes of the last so many days, 1 to 1100', readCount('--since', 1, 1100), 90)
    .option('--tasks <n>', 'so many tasks of a zone are named, 1 to 10000', readCount('--tasks', 1, 10_000), 20)
    .action((options: TzdataOptions) => showZones(options, context));
}

async function showZones({ days, since, tasks }: TzdataOptions, context: Context): Promise<void> {
  const { output } = context;
  const asked = { query: { days, sinceDays: since } };
  const { tzVersion, zones } = await withFleet(context, (fleet) => fleet.call(listTimeZones, asked));
  output.table({ tzVersion, zones }, zones, [
    { title: 'ZONE', value: ({ zone }) => zone },
    { title: 'DATA', value: (zone) => zone.tzVersion ?? '-' },
    { title: 'SINCE', value: (zone) => (zone.since ? inUtc(zone.since) : '-') },
    { title: 'CHANGE', value: changeWords, wraps: true },
  ]);
  for (const each of zones) for (const line of detailLines(each, tasks)) output.note(line);
  output.note(`looked at with the time zone data ${tzVersion}`);
  if (zones.length === 0) output.note('no task goes by the clock of a zone that may change');
  if (zones.some((zone) => zone.tzVersion === null))
    output.note('-: no scheduler has written the zone down yet; one does within an hour, and as it starts');
}

function changeWords({ change }: ZoneReport): string {
  if (!change) return 'none';
  const what = `${change.was} to ${change.is}`;
  const tasks = counted(change.tasks.length, 'task');
  switch (change.kind) {
    case 'made':
      return `${what}: fires of ${tasks} are others`;
    case 'ahead':
      return `${what}, once schedulers have that: fires of ${tasks} will be others`;
    case 'behind':
      return `${change.was} is known to the schedulers; looked at with ${change.is}`;
  }
}

function* detailLines({ zone, change }: ZoneReport, most: number): Iterable<string> {
  if (!change) return;
  yield '';
  yield `${zone}, ${change.was} to ${change.is}:`;
  for (const { from, to, was, is } of change.differences.slice(0, DIFFERENCES_SHOWN))
    yield `  ${inUtc(from)} to ${to ? inUtc(to) : 'the end of what is known'}: the clock is at ${offset(is)}, not at ${offset(was)}`;
  const hidden = change.differences.length - DIFFERENCES_SHOWN;
  if (hidden > 0) yield `  and at ${counted(hidden, 'later time')}`;
  yield* taskLines(change, most);
}

function* taskLines({ tasks }: ZoneChange, most: number): Iterable<string> {
  for (const task of tasks.slice(0, most)) yield `  ${task.name}: ${countWords(task)}${firstWords(task)}`;
  if (tasks.length > most) yield `  and ${counted(tasks.length - most, 'more task')}`;
}

function countWords({ moved, added, removed, truncated, comparedTo }: FireChanges): string {
  const counts = [
    moved.count > 0 ? `${counted(moved.count, 'fire')} at another time` : '',
    added.count > 0 ? `${counted(added.count, 'fire')} more` : '',
    removed.count > 0 ? `${counted(removed.count, 'fire')} less` : '',
  ].filter((each) => each !== '');
  return `${counts.join(', ')}${truncated ? ` until ${inUtc(comparedTo)}` : ''}`;
}

function firstWords({ moved, added, removed }: TaskChange): string {
  const [move] = moved.first;
  if (move) return `; first ${inUtc(move.to)}, not ${inUtc(move.from)}`;
  const [more] = added.first;
  if (more) return `; first ${inUtc(more)}`;
  const [less] = removed.first;
  return less ? `; first ${inUtc(less)}` : '';
}

/** As +02:00. */
function offset(seconds: number): string {
  const sign = seconds < 0 ? '-' : '+';
  const minutes = Math.round(Math.abs(seconds) / 60);
  return `${sign}${[Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')}`;
}
