import type { components } from '../api/generated/openapi.ts';
import { counted } from './counted.ts';
import { MONTHS, WEEKDAYS } from './day-words.ts';
import { entryWords } from './entry-words.ts';

type Shift = components['schemas']['CalendarEffect']['tasks'][number]['shift'];

const EFFECTS: Readonly<Record<NonNullable<Shift>, string>> = {
  next: 'moved to the next free day',
  previous: 'moved to the free day before',
};

export const calendars = {
  title: 'Calendars',
  list: 'Calendars',
  none: 'There are no calendars yet.',
  noneFix: 'A calendar is a named set of times that tasks leave out: holidays, weekends, nights.',
  column: {
    name: 'Calendar',
    zone: 'Time zone',
    entries: 'Entries',
    tasks: 'Tasks',
    version: 'Version',
    saved: 'Saved',
    description: 'Description',
  },
  by: (name: string) => `by ${name}`,
  newCalendar: 'New calendar',
  months: MONTHS,
  weekdays: WEEKDAYS,
  about: 'What it is',
  entries: 'What it excludes',
  entryWords,
  more: (n: number) => `and ${counted(n, 'more entry', 'more entries')}`,
  showAll: 'Show all',
  years: 'Year',
  view: 'The year',
  zoneOfDays: (zone: string) => `days of ${zone}`,
  summary: (year: number, whole: number, part: number) =>
    [
      `In ${year} it excludes ${whole === 0 ? 'no whole day' : counted(whole, 'whole day')}`,
      ...(part === 0 ? [] : [`a part of ${counted(part, 'day')}`]),
    ]
      .join(', and ')
      .concat('.'),
  free: 'not excluded',
  whole: 'excluded all day',
  part: 'excluded in part',
  today: 'today',
  allDay: 'all day',
  cell: (day: string, hours: string, why: string) => `${day}: ${hours} (${why})`,
  daysTable: 'Days that it excludes',
  day: { date: 'Day', much: 'Excluded', why: 'Because of' },
  tasks: 'Tasks that use it',
  tasksCount: (n: number) => counted(n, 'task'),
  tasksShown: (shown: number, all: number) => `The first ${shown} of ${counted(all, 'task')} are shown.`,
  noTasks: 'No task uses it.',
  noTasksFix: 'A task names it under calendars, exclude.',
  task: { name: 'Task', effect: 'Its occurrences are', out: 'Next ones that it takes out', next: 'Next starts' },
  effect: (shift: Shift) => (shift === null ? 'skipped' : EFFECTS[shift]),
  nothingOut: 'none of the next year',
  neverNext: 'none',
  edit: 'Edit',
  remove: 'Delete',
  removeTitle: (name: string) => `Delete the calendar ${name}?`,
  removeWords: 'Its versions stay in the ledger, for runs that it has skipped.',
  inUse: (tasks: readonly string[]) =>
    `${tasks.length === 1 ? 'A task uses' : 'Tasks use'} it: ${tasks.slice(0, 3).join(', ')}${
      tasks.length > 3 ? ` and ${tasks.length - 3} more` : ''
    }. Take it out there first.`,
  editTitle: (name: string) => `Edit the calendar ${name}`,
  newTitle: 'New calendar',
  name: 'Name',
  nameHelp: 'Letters, digits and . _ -',
  description: 'Description',
  entry: (n: number) => `Entry ${n}`,
  entryHelp: 'An entry excludes the times for which all its fields hold. An empty field says nothing.',
  entryName: 'Reason',
  dates: 'Dates',
  datesHelp: '2026-12-25, or 12-25 for every year; several with commas',
  from: 'From the day',
  to: 'To the day',
  weekdaysLabel: 'Weekdays',
  hours: 'Hours',
  hoursHelp: '22-6 or 09:30-17; several with commas. Empty: the whole day',
  addEntry: 'Add an entry',
  removeShort: 'Remove',
  removeEntry: (n: number) => `Remove entry ${n}`,
  preview: 'What it will exclude',
  nameFirst: 'Give it a name first.',
  difference: (more: number, fewer: number, other: number) =>
    more + fewer + other === 0
      ? 'No day of this year is another than before.'
      : `Compared with what is saved: ${counted(more, 'day')} more, ${counted(fewer, 'day')} fewer, ${counted(other, 'day')} with other hours.`,
  savedSince: (version: number, by: string) => `${by} has saved version ${version} since you began.`,
  savedSinceFix: 'What you save replaces it.',
  taken: 'There is a calendar of that name already. What you save replaces it.',
  save: 'Save',
  create: 'Create it',
  saving: 'Tasks that use it are planned anew from now on. What was due before stays as it was.',
  notYet: 'It is not what can be saved yet: see above.',
  nothing: 'There is nothing to save.',
  looking: 'What it will exclude is looked at.',
};
