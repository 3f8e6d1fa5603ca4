import type { Condition } from '../routes/alerting/document.ts';
import { durationWords } from '../time/durations.ts';
import { counted } from './counted.ts';

type Kind = Condition['kind'];
type Of<K extends Kind> = Extract<Condition, { kind: K }>;

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export const dayNames = (days: readonly number[]): string => days.map((day) => DAYS[day - 1] ?? day).join(', ');

function suspicious({ underMs, underUsual, minLogBytes, output, logHas, logLacks }: Of<'suspicious'>): string {
  const bounds = [
    underMs === undefined ? null : `took less than ${durationWords(underMs)}`,
    underUsual === undefined ? null : `took less than ${Math.round(underUsual * 100)} % of its usual time`,
    minLogBytes === undefined ? null : `wrote less than ${counted(minLogBytes, 'byte')}`,
    output === undefined ? null : `its output does not meet ${output}`,
    logHas === undefined ? null : `its log lacks ${logHas}`,
    logLacks === undefined ? null : `its log has ${logLacks}`,
  ];
  return `A run succeeded, and yet: ${bounds.filter((bound) => bound !== null).join(', or ')}`;
}

function slow({ afterMs, timesP95 }: Of<'slow'>): string {
  const bounds = [
    afterMs === undefined ? null : durationWords(afterMs),
    timesP95 === undefined ? null : `${timesP95} times what 95 of 100 runs take`,
  ];
  return `A run goes on for longer than ${bounds.filter((bound) => bound !== null).join(', or ')}`;
}

function failed({ inARow = 1, of }: Of<'failed'>): string {
  if (of) return `${of.failures} of the last ${counted(of.runs, 'run')} failed`;
  return inARow === 1 ? 'A run failed for good' : `${inARow} runs in a row failed for good`;
}

/** When a rule of each kind fires. Total: a new kind of the API does not compile until it has words. */
export const CONDITIONS: { readonly [K in Kind]: (when: Of<K>) => string } = {
  failed,
  quarantined: () => 'A run lost its worker too often',
  missed: () => 'A run did not start in time, and was not caught up',
  suspicious,
  late: ({ afterMs }) => `A run has been due for ${durationWords(afterMs)}, and has not begun`,
  waiting: ({ afterMs }) => `A run has waited ${durationWords(afterMs)} for its key`,
  slow,
  silent: ({ afterMs }) => `A run has reported and written nothing for ${durationWords(afterMs)}`,
  unknown: () => 'Nobody knows what became of a run',
  held: () => 'A run was due while nothing ran, and waits for a person',
  'no-success': ({ forMs }) => `No run of it has succeeded for ${durationWords(forMs)}`,
  'not-started-by': ({ at, timeZone, days }) =>
    `No run of it has started by ${at} (${timeZone})${days === undefined ? '' : ` on ${dayNames(days)}`}`,
  unplannable: () => 'The next starts of a task cannot be worked out',
  'monitor-missed': () => 'A job that runs elsewhere did not tell of itself in time',
  'monitor-failed': () => 'A job that runs elsewhere said that it failed',
  'monitor-slow': () => 'A job that runs elsewhere goes on for longer than it may',
  'planner-silent': ({ overMs }) => `No scheduler has planned for ${durationWords(overMs)}`,
  'planner-lag': ({ overMs }) => `A task has waited ${durationWords(overMs)} to be planned`,
  'no-worker': () => 'A pool has runs that are due, and no worker',
  'workers-missing': () => 'A pool has fewer workers than expected',
  'worker-lost': () => 'A worker has vanished without a word',
  overdue: ({ overMs }) => `A run of a pool has been due for ${durationWords(overMs)}`,
  'redis-away': () => 'Redis cannot be reached',
  'api-away': ({ overMs }) => `No API has taken pings for ${durationWords(overMs)}`,
  'not-watched': ({ overMs }) => `Nobody has looked for ${durationWords(overMs)}`,
  drift: ({ atLeast = 1, kinds }) =>
    `Queue and ledger differed in ${counted(atLeast, 'run')} or more${kinds === undefined ? '' : ` (${kinds.join(', ')})`}`,
  'queue-blocked': () => 'Another program has changed a queue',
  'clock-off': ({ overMs }) => `The clock of a process is off by ${durationWords(overMs)}`,
  'partition-missing': () => 'The ledger has no partition for tomorrow',
  'database-size': ({ overBytes }) => `The database is larger than ${counted(overBytes, 'byte')}`,
  'token-expires': ({ withinMs }) => `A token ends within ${durationWords(withinMs)}`,
  'ledger-gap': () => 'The verification of the ledger has found a gap',
};

/** In plain words; the kind itself, where a newer server has one that is not known here. */
export function conditionWords<K extends Kind>(when: Of<K>): string {
  const words: ((when: Of<K>) => string) | undefined = CONDITIONS[when.kind as K];
  return words ? words(when) : when.kind;
}
