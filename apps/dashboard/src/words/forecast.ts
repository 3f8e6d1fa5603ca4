import type { Span } from '../routes/forecast/search.ts';
import { counted } from './counted.ts';

const SPANS: Readonly<Record<Span, string>> = { '24h': '24 hours', '7d': '7 days', '31d': '31 days' };

export const forecast = {
  title: 'Forecast',
  spans: SPANS,
  spanLabel: 'How far ahead',
  chart: 'At work at once',
  total: (runs: number, tasks: number) => `${counted(runs, 'run')} of ${counted(tasks, 'task')}`,
  usual: 'as long as half of the runs take',
  atMost: 'as long as only 5 % take',
  limits: {
    pool: (pool: string, runs: number) => `the workers of ${pool} take ${counted(runs, 'run')} at once`,
    key: (key: string, runs: number) => `of ${key} ${counted(runs, 'run')} may be at work at once`,
  },
  clockDay: (day: string) => `${day}: a clock changes`,
  clockDays: 'hatched: a day in which a clock changes',
  piece: (from: string, starts: number, usual: number, most: number) =>
    `${from}: ${counted(starts, 'start')}, ${usual} at once, ${most} at most`,
  left: 'Retries, triggers and followers are not in it.',
  table: 'What will start, and how much is at work at once',
  column: { from: 'From', starts: 'Starts', usual: 'At once', most: 'At most' },
  nothing: 'Nothing is due in that time.',
  pools: 'Pools',
  pool: { name: 'Pool', runs: 'Runs', usual: 'At once', most: 'At most', at: 'When', capacity: 'Its workers take' },
  noCapacity: 'no living worker says',
  over: 'more than it can take: some start late',
  keys: 'Keys that are in the way of runs',
  noKeys: 'No run has to wait for its key, or is skipped for it.',
  key: { name: 'Key', limit: 'At once', runs: 'Runs', usual: 'If runs take as usual', most: 'At worst', at: 'First' },
  met: {
    none: 'nothing',
    skipped: (n: number) => `${n.toLocaleString('en')} skipped`,
    wait: (n: number, longest: string) => `${n.toLocaleString('en')} late by up to ${longest}`,
    replace: (n: number) => `${n.toLocaleString('en')} stopping the one before`,
  },
  keyField: 'Key',
  keyHint: 'Of this key alone',
  remarks: 'To be known',
  clockChange: 'Clocks change',
  unmeasured: (n: number, names: string) =>
    `It is not known how long ${n === 1 ? 'this task takes' : `these ${n.toLocaleString('en')} tasks take`}: ${names}. Of them only starts are counted. It is learned an hour after the first run.`,
  untimed: (n: number) =>
    `${counted(n, 'task')} ${n === 1 ? 'starts' : 'start'} at no time that is known: by hand, after others, or after an end.`,
  paused: (n: number) => `${counted(n, 'occurrence')} ${n === 1 ? 'falls' : 'fall'} into pauses.`,
  excluded: (n: number) => `${counted(n, 'occurrence')} ${n === 1 ? 'is' : 'are'} left out by calendars.`,
  unplannable: (names: string) => `These cannot be planned: ${names}.`,
  slots: 'Quietest times of day',
  slotsNote: (zone: string) => `every day, in ${zone}`,
  minutes: 'For something that takes, in minutes',
  slotsMore: (n: number) => `Show ${n.toLocaleString('en')} more`,
  slot: { time: 'Time', usual: 'Beside it at once', most: 'At most', starts: 'Starts', expression: 'Schedule' },
};
