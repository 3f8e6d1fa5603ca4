import { counted } from './counted.ts';

interface Past {
  succeeded: number;
  failed: number;
  missed: number;
  notRun: number;
}

const said = (of: Past) =>
  (
    [
      [of.succeeded, 'succeeded'],
      [of.failed, 'failed'],
      [of.missed, 'missed'],
      [of.notRun, 'not run'],
    ] as const
  )
    .flatMap(([n, word]) => (n === 0 ? [] : [`${n.toLocaleString('en')} ${word}`]))
    .join(', ');

export const forecastRows = {
  title: 'Before and after now',
  by: { label: 'Rows by', task: 'By task', key: 'By key' },
  none: 'Nothing starts by a schedule in that time.',
  pastCell: (from: string, of: Past) => `${from}: ${said(of) || 'nothing ended'}`,
  aheadCell: (from: string, starts: number) => `${from}: ${counted(starts, 'start')}`,
  tooMany: 'more than 50,000 starts',
  tasks: (n: number) => counted(n, 'task'),
  now: 'now',
  left: (n: number) => `${counted(n, 'more')} with less at work ahead`.replace('mores', 'more'),
  legend: {
    failed: 'some failed',
    missed: 'some were missed, none failed',
    succeeded: 'none failed or was missed',
    ahead: 'starts ahead: the higher, the more of its row',
  },
  table: { task: 'Tasks before and after now', key: 'Keys before and after now' },
  column: {
    task: 'Task',
    key: 'Key',
    succeeded: 'Succeeded',
    failed: 'Failed',
    missed: 'Missed',
    notRun: 'Not run',
    starts: 'Starts ahead',
    usual: 'Usually takes',
  },
};
