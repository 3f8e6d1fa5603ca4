import { counted } from './counted.ts';

type Side = 'cron' | 'fleet';
type Answer = 'taken' | 'refused';

const SIDES: Readonly<Record<Side | 'unknown', string>> = {
  cron: 'cron',
  fleet: 'the fleet',
  unknown: 'not known',
};

const STATES: Readonly<Record<'agrees' | 'differs' | 'silent', string>> = {
  agrees: 'agrees',
  differs: 'differs',
  silent: 'not heard of',
};

const KINDS: Readonly<Record<'only-cron' | 'only-here', string>> = {
  'only-cron': 'only cron',
  'only-here': 'only here',
};

const ANSWERS: Readonly<Record<Answer, string>> = { taken: 'Yes, it has', refused: 'No, it has not' };

export const crontabs = {
  title: 'Crontabs',
  find: 'Find by host, file, task or command',
  since: { label: 'Compared over', '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  none: 'No crontab is in the shadow yet.',
  noneWords:
    'cron goes on running its lines, and the fleet only writes down when it would have run them. On a host, as root:',
  noneFix: 'To look at what would happen first, leave the last two words out.',
  noneGuide: 'Paste a crontab instead',
  noneFound: 'No line has that in it.',
  lines: (n: number) => counted(n, 'line'),
  reportedBy: (hosts: readonly string[]) => `${hosts.join(', ')}: last start told`,
  neverReported: 'No host has told of a start yet.',
  neverReportedFix: (source: string) => `sudo escapement shadow patch FILE --source ${source}`,
  comparedSince: 'compared since',
  table: (source: string) => `Lines of ${source}`,
  column: {
    line: 'Line',
    command: 'Command',
    state: 'State',
    side: 'Run by',
    agreed: 'Agreed',
    onlyCron: 'Only cron',
    onlyHere: 'Only here',
    went: 'How it went',
    actions: 'What can be done',
  },
  as: (user: string) => `as ${user}`,
  states: STATES,
  sides: SIDES,
  pending: (n: number) => `${n.toLocaleString('en')} just due`,
  span: (middle: string, most: string) => (middle === most ? middle : `${middle} to ${most}`),
  offBy: (span: string) => `off by ${span}`,
  took: (span: string) => `took ${span}`,
  exits: (exits: readonly { exit: string; count: number }[]) =>
    `exit ${exits.map(({ exit, count }) => `${exit} (${count.toLocaleString('en')})`).join(', ')}`,
  changesTo: (to: Side) => `${SIDES[to]} from`,
  isAsked: (host: string) => `${host} has not answered`,
  hasAgreed: (host: string) => `${host} has agreed`,
  hasRefused: (host: string) => `${host} has refused the last cut-over`,
  wasSettled: (by: string, host: string, settled: Answer) =>
    settled === 'taken'
      ? `${by} has agreed in the place of ${host}`
      : `${by} has refused the last cut-over in the place of ${host}`,
  saysOtherwise: (host: string, by: string) => `${host} has answered otherwise than ${by} had for it: look at what ran`,
  hasHad: (to: Side) => `${SIDES[to]} since`,
  differences: (task: string, n: number, unexplained: number) =>
    `${task}: ${counted(n, 'difference')}${unexplained === 0 ? ', explained' : `, ${unexplained.toLocaleString('en')} not explained`}`,
  lastOf: (shown: number, all: number) => `The last ${shown} of ${all.toLocaleString('en')}.`,
  kinds: KINDS,
  explained: 'explained',
  unexplained: 'not explained',
  cutOver: 'Cut over',
  cutOverAll: (n: number) =>
    n === 0 ? 'Cut over all that agree' : n === 1 ? 'Cut over the one that agrees' : `Cut over ${n} that agree`,
  back: 'Back to cron',
  whyNot: {
    silent: 'No host has told of a start of it yet.',
    asked: (host: string) =>
      `${host} has not answered the last cut-over yet. \`escapement report --send\` on it asks for it.`,
    unknown: 'Nobody knows who has it: `escapement shadow status` says more.',
    noGreen: 'No line of cron has agreed three times without a difference that is not explained.',
  },
  askTitle: (what: string, to: Side) => (to === 'fleet' ? `Have the fleet run ${what}?` : `Give ${what} back to cron?`),
  allOf: (source: string) => `what agrees in ${source}`,
  asking: 'It is looked at what would happen.',
  effect: (host: string, to: Side) => `${host} is asked. If it agrees in time, ${SIDES[to]} runs the line from`,
  lastBefore: (to: Side) => (to === 'fleet' ? 'Last by cron' : 'Last by the fleet'),
  firstAfter: (to: Side) => (to === 'fleet' ? 'First by the fleet' : 'First by cron'),
  isRunning: 'cron runs the line now: that goes on.',
  cannotRun: (task: string) => `No living worker could run ${task}.`,
  cannotRunFix: 'It stays with cron until one can.',
  left: (n: number) => `${counted(n, 'line')} ${n === 1 ? 'stays' : 'stay'} as ${n === 1 ? 'it is' : 'they are'}:`,
  doAsk: (n: number, host: string) => (n === 1 ? `Ask ${host}` : `Ask for ${counted(n, 'line')}`),
  nothing: 'Nothing can be cut over.',
  settle: (host: string) => `Answer for ${host}`,
  settleTitle: (host: string, task: string) => `Has ${host} taken the cut-over of ${task}?`,
  settleWords: (host: string) =>
    `Answer only if ${host} will not: \`escapement report --send\` on it asks for it. Look first at what runs there. If the answer is wrong, the line is run twice, or not at all. What ${host} says later counts more.`,
  answers: ANSWERS,
  runsFrom: (side: Side) => `Then ${SIDES[side]} runs the line from`,
  goesOn: (side: Side) => `Then ${SIDES[side]} goes on running the line.`,
  held: (side: Side) =>
    side === 'fleet'
      ? 'What was due since then, and is held, runs late.'
      : 'What was due since then, and is held, ends as skipped: cron has run it.',
  doSettle: 'Answer',
};
