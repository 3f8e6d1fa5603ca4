import type { components } from '../api/generated/openapi.ts';
import type { Back } from '../routes/about/backs.ts';
import { counted } from './counted.ts';

type VerificationState = components['schemas']['LedgerVerification']['state'];

const BACKS: Readonly<Record<Back, string>> = {
  hour: 'of the last hour',
  day: 'of the last 24 hours',
  week: 'of the last 7 days',
  month: 'of the last 31 days',
};

const STATES: Readonly<Record<VerificationState, string>> = {
  waiting: 'waits for a scheduler',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

export const about = {
  title: 'About',
  actions: 'What can be done',
  openApi: 'The API as an OpenAPI document',
  versions: 'Versions',
  part: { name: 'Part', version: 'Version', count: 'How many', on: 'On' },
  parts: { api: 'API, as it answers here', scheduler: 'Schedulers', worker: 'Workers' },
  mixed: 'Not all of them have the same version',
  mixedWords: 'While a new version is rolled out this is as it should be.',
  moreHosts: (n: number) => `and ${counted(n, 'more')}`.replace(/s$/, ''),
  doctor: 'Examination',
  again: 'Look again',
  noProblem: 'Nothing is wrong.',
  problems: (n: number) => counted(n, 'problem'),
  warnings: (n: number) => counted(n, 'warning'),
  levels: { ok: 'well', warning: 'worth knowing', problem: 'problem' },
  finding: { level: 'State', subject: 'What', detail: 'Found' },
  fix: (fix: string) => `What to do: ${fix}`,

  ledger: 'Verifications of the ledger',
  ledgerWords:
    'What should have happened is computed from the schedules, and compared with what the ledger says. The fleet does so by itself every five minutes, for the last ten.',
  verify: 'Verify it',
  verifyTitle: 'Verify the ledger?',
  verifyWords: 'A scheduler does it, one at a time. Nothing is changed.',
  back: 'Occurrences',
  backs: BACKS,
  task: 'Only of the task',
  taskHelp: 'Its name. Default: of all tasks.',
  doVerify: 'Verify it',
  underWay: 'One is under way. There is one at a time.',
  noneYet: 'None was asked for in the last day.',
  verification: { asked: 'Asked', what: 'Of', state: 'State', compared: 'Compared', found: 'Found' },
  askedBy: (by: string) => `by ${by}`,
  allTasks: 'all tasks',
  ofTask: (name: string) => `task ${name}`,
  ofLabel: (label: string) => `tasks with ${label}`,
  to: 'to',
  states: STATES,
  progress: (percent: number) => `${percent} %`,
  progressOf: 'How far it is',
  compared: (expected: number, tasks: number) => `${counted(expected, 'occurrence')} of ${counted(tasks, 'task')}`,
  notYet: 'nothing yet',
  noGap: 'no gap',
  gaps: (n: number) => counted(n, 'gap'),
  others: (n: number) => `${counted(n, 'finding')} that ${n === 1 ? 'is' : 'are'} no gap`,
  showFindings: (n: number) => `Show ${counted(n, 'finding')}`,
  run: 'the run',
};
