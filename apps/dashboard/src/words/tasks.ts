import type { Sort } from '../routes/tasks/search.ts';

const SORTS: Readonly<Record<Sort, string>> = {
  name: 'By name',
  next: 'Next start first',
  updated: 'Last changed first',
  state: 'Worst state first',
};

export const tasks = {
  title: 'Tasks',
  find: 'Find by name',
  findHelp: 'A part of the name; * stands for anything',
  sort: 'Order',
  sorts: SORTS,
  all: 'all',
  states: 'States of tasks',
  table: 'Tasks',
  columns: {
    state: 'State',
    name: 'Task',
    schedule: 'Schedule',
    next: 'Next start',
    recent: 'Last 30 runs',
    pool: 'Pool',
    source: 'From',
  },
  never: 'not planned',
  noRuns: 'It has not run yet.',
  bars: (count: number, states: string, longest: string) =>
    `${count === 1 ? 'Its only run' : `Its latest ${count} runs`}: ${states}. The longest took ${longest}.`,
  bar: (state: string, duration: string) => `${state}, ${duration}`,
  paused: (by: string, note: string | null) => `paused by ${by}${note === null ? '' : `: ${note}`}`,
  emptyTitle: 'No task matches.',
  emptyFix: 'Leave out a part of the name, or a filter.',
  emptyAll: 'All tasks',
  noneTitle: 'There is no task yet.',
  noneFix: 'Make one:',
  noneCommand: "npx escapement tasks add hello --every 1m -- 'echo hello'",
  end: (count: number) => (count === 1 ? 'This is the only one.' : `These are all ${count.toLocaleString('en')}.`),
};
