import { MINUTE, SECOND, type TaskInput } from '@escapement/core';
import { built } from '@escapement/testkit';
import { type DueTimes, everyGrid, everySecond } from './due.ts';
import type { LoadTask, Rate } from './evidence.ts';

/** Where a worker finds the tasks of the load that are written in code. */
export const codeTasks = () => built(new URL('./tasks', import.meta.url));

/** A task of the load: what is saved (undefined: a worker's code brings it), and what must come of it. */
export interface LoadItem extends Omit<LoadTask, 'effectiveMs'> {
  input: TaskInput | undefined;
}

type Options = Partial<Omit<LoadItem, 'name' | 'input' | 'dueAt'>> & Pick<TaskInput, 'retry' | 'overlap'>;

/** Where attempts report to. */
export interface Reports {
  url: string;
  /** For shell tasks. */
  file: string;
}

/** Everything seconds apart: quick and slow, overlapping, allowed to overlap, failing, sharing a key, in three kinds of handlers. */
export function mixedLoad(reports: Reports): LoadItem[] {
  const http = (answer: Answer) => httpHandler(reports.url, answer);
  const shell = (seconds: number) => shellHandler(reports.file, seconds);
  const retries = (maxAttempts: number): Options => ({
    maxAttempts,
    retry: { maxAttempts, backoff: { kind: 'fixed', delayMs: 300 } },
  });
  return [
    item('quick-1s', every(1), http({ ms: 30 })),
    item('quick-2s', every(2, 500), http({ ms: 200 })),
    item('quick-5s', every(5), http({ ms: 30 })),
    item(
      'cron-2s',
      cron('*/2 * * * * *', 'UTC', (second) => second % 2 === 0),
      http({ ms: 50 }),
    ),
    item(
      'cron-list',
      cron('10,25,40,55 * * * * *', 'Asia/Kolkata', (second) => second % 15 === 10),
      http({ ms: 50 }),
    ),
    item('slow', every(4, 250), http({ ms: 2500 })),
    item('overlapping', every(1, 100), http({ ms: 1600 })),
    item('allowed', every(1, 200), http({ ms: 1600 }), { allowsOverlap: true }),
    item('two-slots', every(1, 300), http({ ms: 1500 }), { limit: 2 }),
    item('flaky', every(4, 700), http({ ms: 50, failFirst: 2 }), retries(3)),
    item('hopeless', every(10, 900), http({ ms: 50, failFirst: 99 }), { ...retries(2), endsAs: ['failed'] }),
    item('shared-a', every(2, 400), http({ ms: 700 }), { key: 'shared' }),
    item('shared-b', every(3, 800), http({ ms: 900 }), { key: 'shared' }),
    item('wait-one', every(1, 150), http({ ms: 1300 }), { overlap: { policy: 'wait-one' } }),
    item('ordered-a', every(2, 350), http({ ms: 600 }), { key: 'ordered', ...ordered }),
    item('ordered-b', every(3, 450), http({ ms: 900 }), { key: 'ordered', ...ordered }),
    item('ordered-slots', every(1, 850), http({ ms: 2000 }), { limit: 3, ...ordered }),
    item('replaced', every(3, 550), http({ ms: 3500 }), {
      overlap: { policy: 'replace' },
      endsAs: ['succeeded', 'cancelled'],
    }),
    item('at-most-once', every(2, 650), http({ ms: 900 }), { atMostOnce: true }),
    item('shell-quick', every(3, 600), shell(0.2)),
    item(
      'shell-cron',
      cron('*/7 * * * * *', 'UTC', (second) => second % 7 === 0),
      shell(1),
    ),
    // Every six seconds both are due at once, and one waits; after a fault more do. Half as much again may start as is due.
    item('rated-a', every(2, 750), http({ ms: 50 }), { allowsOverlap: true, rate: RATE }),
    item('rated-b', every(3, 750), http({ ms: 50 }), { allowsOverlap: true, rate: RATE }),
    item('following', never, http({ ms: 50 })),
    item('followed', every(1, 250), http({ ms: 30 }), { followedBy: 'following' }),
    item('code-2s', every(2, 100), undefined),
    ...byHand(reports),
  ];
}

const RATE: Rate = { key: 'rated', limit: 1, perMs: 800 };

const ordered: Options = { inOrder: true, overlap: { policy: 'wait-all' } };

/** Nothing on their own: a fault starts them. */
function byHand(reports: Reports): LoadItem[] {
  const flood = (bytes: number): TaskInput['handler'] => ({
    type: 'shell',
    command: `${reportTo('start')}; head -c ${bytes} /dev/zero | tr '\\0' x | fold -w 120; ${reportTo('ok')}`,
    env: { REPORTS: reports.file },
  });
  return [
    item('burst', never, httpHandler(reports.url, { ms: 0 }), { allowsOverlap: true }),
    // As long as two workers have it one after the other, on a busy machine.
    item('long', never, httpHandler(reports.url, { ms: 40 * SECOND })),
    item('flood-20mb', never, flood(20 * MEGABYTE)),
    item('flood-100mb', never, flood(100 * MEGABYTE)),
    // Brought by a worker's code.
    item('crash', never, undefined, { endsAs: ['failed'] }),
    item('poison', never, undefined, { endsAs: ['quarantined'] }),
  ];
}

const MEGABYTE = 1_000_000;
const never: When = { schedule: { kind: 'manual' }, dueAt: () => [] };

interface When {
  schedule: NonNullable<TaskInput['schedule']>;
  dueAt: DueTimes;
}

function every(seconds: number, phaseMs = 0): When {
  const everyMs = seconds * SECOND;
  return { schedule: { kind: 'every', everyMs, phaseMs }, dueAt: everyGrid(everyMs, phaseMs) };
}

function cron(expression: string, timeZone: string, fits: (second: number) => boolean): When {
  return { schedule: { kind: 'cron', expression, timeZone }, dueAt: everySecond(fits) };
}

function item(name: string, when: When, handler: TaskInput['handler'] | undefined, options: Options = {}): LoadItem {
  const { retry, overlap, ...given } = options;
  const rules = { ...USUAL, key: name, ...given };
  const input: TaskInput | undefined = handler && {
    name,
    key: rules.key,
    limit: rules.limit,
    handler,
    schedule: when.schedule,
    overlap: overlap ?? { policy: rules.allowsOverlap ? 'allow' : 'skip' },
    delivery: rules.atMostOnce ? 'at-most-once' : 'at-least-once',
    timeoutMs: 1 * MINUTE,
    // The usual one of dense schedules would make misfires, rightly, of what is to be seen late.
    misfireThresholdMs: 1 * MINUTE,
    ...(retry === undefined ? {} : { retry }),
    ...(rules.rate === undefined ? {} : { rate: rules.rate }),
    ...(rules.followedBy === undefined ? {} : { then: [{ task: rules.followedBy }] }),
  };
  return { name, ...rules, dueAt: when.dueAt, input };
}

const USUAL: Pick<
  LoadItem,
  'followedBy' | 'rate' | 'limit' | 'allowsOverlap' | 'inOrder' | 'atMostOnce' | 'endsAs' | 'maxAttempts'
> = {
  limit: 1,
  allowsOverlap: false,
  inOrder: false,
  atMostOnce: false,
  endsAs: ['succeeded'],
  maxAttempts: 1,
  followedBy: undefined,
  rate: undefined,
};

interface Answer {
  /** How long the target takes. */
  ms: number;
  /** Attempts up to this one are answered with 500. */
  failFirst?: number;
}

function httpHandler(url: string, { ms, failFirst = 0 }: Answer): TaskInput['handler'] {
  return { type: 'http', method: 'POST', url: `${url}/report?ms=${ms}&failFirst=${failFirst}` };
}

/** A shell line that tells the target what happens. */
function reportTo(what: string): string {
  return `echo "${what} $ESCAPEMENT_RUN_ID $ESCAPEMENT_TASK $ESCAPEMENT_FENCE $ESCAPEMENT_ATTEMPT $(date +%s%3N)" >> "$REPORTS"`;
}

/** Writes a line when it begins and one when it ends, also when it is asked to end early. */
function shellHandler(file: string, seconds: number): TaskInput['handler'] {
  const command = `
report() { ${reportTo('$1')}; }
trap 'report cut; exit 143' TERM
report start
sleep ${seconds} & wait $!
report ok`;
  return { type: 'shell', command, env: { REPORTS: file } };
}
