import type { ErrorShown, Since } from '../routes/errors/search.ts';
import { counted } from './counted.ts';

const SINCE: Readonly<Record<Since, string>> = {
  '1h': 'The last hour',
  '24h': 'The last 24 hours',
  '7d': 'The last 7 days',
  '30d': 'The last 30 days',
};

const SHOWN: Readonly<Record<ErrorShown, string>> = {
  open: 'open',
  muted: 'muted',
  resolved: 'resolved',
  all: 'all',
};

export const errors = {
  title: 'Errors',
  since: 'Time',
  sinces: SINCE,
  shown: SHOWN,
  states: 'States of errors',
  notTask: (name: string) => `${name} ×`,
  list: 'Errors, the most frequent first',
  state: { open: 'open', back: 'back again', muted: 'muted', resolved: 'resolved' },
  unnamed: 'Failed',
  failures: (n: number) => counted(n, 'failure'),
  first: 'first seen',
  inRelease: (release: string, before: string | null) =>
    `in release ${release}${before === null ? '' : `, after ${before}`}`,
  last: 'last',
  latest: 'The latest run',
  inTasks: 'In',
  moreTasks: (n: number) => `and ${counted(n, 'more task')}`,
  hours: (bars: readonly string[]) => `Failures in time: ${bars.join('; ')}`,
  hour: (from: string, n: number) => `${from}: ${n.toLocaleString('en')}`,
  lookedBack: 'There are more failures than can be looked at: only those since',
  lookedBackTo: 'are counted',
  mutedBy: (by: string) => `Muted by ${by} until`,
  resolvedBy: (by: string) => `Resolved by ${by}`,
  none: 'Nothing has failed for good in that time.',
  noneShown: 'No error of that time is so.',
  noneFix: (all: number) => `${counted(all, 'error')} of that time ${all === 1 ? 'is' : 'are'} in another state.`,
  showAll: 'Show all',
  more: (shown: number, all: number) => `The ${shown.toLocaleString('en')} most frequent of ${counted(all, 'error')}.`,
  redrive: 'Run again',
  redriveTitle: 'Run again what failed so?',
  redriveWords: (again: number, all: number) =>
    `${counted(again, 'run')} of ${all.toLocaleString('en')} that failed so in that time, which nobody has run again yet, run once more, by their tasks as they are now.`,
  redriveNone: 'All that failed so in that time was run again already.',
  doRedrive: 'Run again',
  resolve: 'Resolve',
  resolveTitle: 'Is nothing to be done about it any more?',
  resolveWords: 'It is shown as resolved. If a run fails so again, it is back.',
  doResolve: 'Resolve',
  resolvedAlready: 'It is resolved already.',
  mute: 'Mute',
  muteDone: (name: string) => `${name} is muted.`,
  muteTitle: 'Mute it?',
  muteWords: 'It is not shown among the open ones until then. Its failures are counted all the same, and alerts go on.',
  muteFor: 'Mute it',
  doMute: 'Mute',
  reopen: 'Open again',
  reopenTitle: 'Open it again?',
  reopenWords: 'It is shown among the open ones.',
  doReopen: 'Open again',
};
