import type { components } from '../api/generated/openapi.ts';
import { counted } from './counted.ts';

type Report = components['schemas']['CrontabReport'];
type Action = components['schemas']['CrontabLine']['action'];

const ACTIONS: Readonly<Record<Action, string>> = {
  create: 'new',
  update: 'changes its task',
  unchanged: 'unchanged',
  duplicate: 'there already',
  refused: 'refused',
  created: 'created',
  updated: 'updated',
  left: 'not chosen',
};

const several = (parts: readonly (readonly [number, string])[]) =>
  parts
    .filter(([n]) => n > 0)
    .map(([n, what]) => `${n.toLocaleString('en')} ${what}`)
    .join(', ');

export const imports = {
  title: 'Import a crontab',
  link: 'Import a crontab',
  file: 'The crontab',
  choose: 'Choose a file',
  text: 'Lines',
  textHint: 'Paste them, or drop a file here.',
  name: 'Name',
  ownName: 'crontab',
  nameHint: 'Under it the lines are found again at the next import: of the same name, a changed line changes its task.',
  system: 'It has a user column',
  systemHint: 'As /etc/crontab and the files in /etc/cron.d have.',
  tooLarge: (file: string) => `${file} is larger than 15 MiB.`,
  unreadable: (file: string) => `${file} is no text in UTF-8.`,
  nothingYet: 'What becomes of each line is shown here. Nothing is written before you say so.',
  lines: 'What becomes of its lines',
  written: 'What became of its lines',
  noLines: 'No line of it is a task.',
  counts: ({ create, update, unchanged, duplicate, refused }: Report['counts']) =>
    several([
      [create, 'new'],
      [update, 'changed'],
      [unchanged, 'unchanged'],
      [duplicate, 'there already'],
      [refused, 'refused'],
    ]),
  heads: { line: 'Line', action: 'Becomes', what: 'Task', schedule: 'Runs', next: 'Next' },
  chooseLine: (line: number) => `Write line ${line}`,
  actions: ACTIONS,
  removed: (tasks: readonly string[]) =>
    `No line is left of ${counted(tasks.length, 'task')}: ${tasks.join(', ')}. They stay as they are; delete them on their pages.`,
  write: 'Write',
  doWrite: (n: number) => (n === 0 ? 'Write the tasks' : `Write ${counted(n, 'task')}`),
  notYet: 'The lines are not read yet.',
  noneChosen: 'No line is chosen that makes or changes a task.',
  done: ({ create, update, failed, left }: Report['counts']) =>
    several([
      [create, 'created'],
      [update, 'updated'],
      [left, 'not chosen'],
      [failed, 'refused'],
    ]) || 'Nothing was written',
  showTasks: 'Show the tasks',
  stopCron: 'Take these lines out of the crontab of the host now: until then cron runs them too.',
};
