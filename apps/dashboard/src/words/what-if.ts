import type { Over } from '../routes/forecast/what-if/asked.ts';
import { counted } from './counted.ts';

const OVERS: Readonly<Record<Over, string>> = {
  '7': 'of the last 7 days',
  '30': 'of the last 30 days',
  '90': 'of the last 90 days',
};

export const whatIf = {
  title: 'What if',
  note: 'a task had run another way',
  ofTask: 'What if...',
  expression: 'Schedule',
  expressionHelp: 'A cron expression by the clock of the task. Left empty: as it is.',
  overlap: 'While its key is held',
  asItIs: 'as it is',
  limit: 'At once, of its key',
  over: 'Runs',
  overs: OVERS,
  ask: 'Replay',
  nothing: 'Give a schedule, a limit, or what happens while the key is held.',
  noTask: 'Name a task.',
  table: 'What became of its runs, and what would have',
  column: { what: 'Runs', now: 'As it is', then: 'As asked' },
  due: 'due',
  started: 'start',
  late: 'late',
  lateP95: '95 % late by at most',
  latest: 'the latest by',
  skipped: 'skipped',
  replaced: 'stop the one before',
  atWork: 'at work in all',
  first: 'first that meets another',
  clock: (expression: string, zone: string) => `${expression} is by the clock of ${zone}.`,
  how: (runs: number) =>
    `With the durations of ${counted(runs, 'run')}, beside the other runs of its key. Pauses are not in it.`,
  since: 'From',
};
