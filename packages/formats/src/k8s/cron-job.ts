import { DAY, SECOND, type TaskInput } from '@escapement/core';
import { labels } from '@escapement/core/rights';
import { cannotSay, type Translated } from '../translated/translated.ts';
import { flagAt, type Node, nodeAt, nodesAt, numberAt, otherKeys, textAt } from './at.ts';
import { readContainer } from './container.ts';
import { readSchedule } from './schedule.ts';

export interface CronJobOptions {
  /** Zone of a schedule without timeZone. */
  timeZone: string;
  /** Before the name of each task. */
  prefix?: string | undefined;
  pool?: string | undefined;
}

interface Found {
  lost: string[];
  notes: string[];
}

/** Kubernetes' own, where a Job says nothing. */
const BACKOFF_LIMIT = 6;
const BACKOFF = { kind: 'exponential', delayMs: 10 * SECOND, capMs: 360 * SECOND } as const;
/** A Job has no limit. A day lets any nightly job end, and yet a hung one does not hold its key for ever. */
const TIME_LIMIT_MS = DAY;
const LONGEST_MS = 30 * DAY;

/** What a CronJob becomes. Throws `cannot_say`. */
export function readCronJob(manifest: Node, place: string, options: CronJobOptions): Translated {
  const found: Found = { lost: [], notes: [] };
  const [metadata, spec] = [nodeAt(manifest, 'metadata'), nodeAt(manifest, 'spec')];
  const job = nodeAt(nodeAt(spec, 'jobTemplate'), 'spec');
  const limit = numberAt(job, 'activeDeadlineSeconds');
  const name = nameOf(metadata);
  const task: TaskInput = {
    name: `${options.prefix ?? ''}${name}`,
    schedule: scheduleOf(spec, options, found),
    ...startOf(spec),
    overlap: overlapOf(spec),
    handler: handlerOf(job, found),
    retry: retryOf(job),
    ...(limit === undefined ? {} : { timeoutMs: Math.min(LONGEST_MS, Math.max(1, limit) * SECOND) }),
    ...(options.pool === undefined ? {} : { pool: options.pool }),
  };
  if (limit !== undefined && (task.retry?.maxAttempts ?? 1) > 1)
    found.notes.push('activeDeadlineSeconds: the limit is for each attempt, not for all of them');
  reportOthers(spec, job, found);
  const own = labels.safeParse(metadata.labels);
  return {
    place,
    task,
    atFirst: {
      ...(limit === undefined ? { timeoutMs: TIME_LIMIT_MS } : {}),
      ...(own.success && Object.keys(own.data).length > 0 ? { labels: own.data } : {}),
    },
    paused: flagAt(spec, 'suspend'),
    ...found,
  };
}

function nameOf(metadata: Node): string {
  const name = textAt(metadata, 'name');
  if (name === undefined) throw cannotSay('the CronJob has no metadata.name', 'give it one');
  const namespace = textAt(metadata, 'namespace');
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function scheduleOf(spec: Node, { timeZone }: CronJobOptions, { notes }: Found): TaskInput['schedule'] {
  const text = textAt(spec, 'schedule');
  if (text === undefined) throw cannotSay('the CronJob has no spec.schedule', 'give it one');
  const zone = textAt(spec, 'timeZone');
  if (zone === undefined && !text.startsWith('@every'))
    notes.push(
      `zone ${timeZone}, as no timeZone is given; Kubernetes takes that of its controller manager, mostly UTC`,
    );
  return readSchedule(text, zone ?? timeZone);
}

/** By default the last occurrence that was missed is made up for, however late. */
function startOf(spec: Node): Pick<TaskInput, 'startDeadlineMs' | 'catchUp'> {
  const seconds = numberAt(spec, 'startingDeadlineSeconds');
  if (seconds === undefined) return { catchUp: { policy: 'latest', withinMs: 366 * DAY } };
  const startDeadlineMs = Math.min(LONGEST_MS, Math.max(1, seconds) * SECOND);
  return { startDeadlineMs, catchUp: { policy: 'latest', withinMs: startDeadlineMs } };
}

const OVERLAPS: { readonly [policy: string]: 'allow' | 'skip' | 'replace' } = {
  Allow: 'allow',
  Forbid: 'skip',
  Replace: 'replace',
};

function overlapOf(spec: Node): 'allow' | 'skip' | 'replace' {
  const policy = textAt(spec, 'concurrencyPolicy') ?? 'Allow';
  const overlap = OVERLAPS[policy];
  if (overlap) return overlap;
  throw cannotSay(`concurrencyPolicy is "${policy}"`, 'it is Allow, Forbid or Replace');
}

function retryOf(job: Node): NonNullable<TaskInput['retry']> {
  const maxAttempts = Math.min(1000, (numberAt(job, 'backoffLimit') ?? BACKOFF_LIMIT) + 1);
  return maxAttempts === 1 ? { maxAttempts } : { maxAttempts, backoff: BACKOFF };
}

function handlerOf(job: Node, found: Found): TaskInput['handler'] {
  const pod = nodeAt(nodeAt(job, 'template'), 'spec');
  const [first, ...others] = nodesAt(pod, 'containers');
  if (!first) throw cannotSay('the CronJob has no container', 'a task needs a command');
  const handler = readContainer(first, found);
  const names = (containers: readonly Node[]) => containers.map((each) => textAt(each, 'name') ?? '?').join(', ');
  const before = nodesAt(pod, 'initContainers');
  if (others.length > 0)
    found.lost.push(
      `containers ${names(others)}: only the first one, ${names([first])}, is taken; make tasks of what the others do`,
    );
  if (before.length > 0) found.lost.push(`initContainers ${names(before)}: not run; put what they do into the command`);
  const more = otherKeys(pod, POD);
  if (more.length > 0) found.lost.push(`${more.join(', ')} of the pod: ${adviceOf(more)}`);
  return handler;
}

/** What is read, has no meaning for a task, or is filled in by the API server. */
const POD = [
  ...['containers', 'initContainers', 'restartPolicy', 'dnsPolicy', 'schedulerName'],
  ...['terminationGracePeriodSeconds', 'enableServiceLinks', 'imagePullSecrets'],
];

function adviceOf(keys: readonly string[]): string {
  if (keys.includes('volumes')) return 'the worker needs the files at the same paths';
  return 'they are those of the worker';
}

const SPEC =
  'schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit failedJobsHistoryLimit';
const JOB =
  'template backoffLimit activeDeadlineSeconds ttlSecondsAfterFinished completionMode completions parallelism';

function reportOthers(spec: Node, job: Node, { lost }: Found): void {
  const count = Math.max(numberAt(job, 'completions') ?? 1, numberAt(job, 'parallelism') ?? 1);
  if (count > 1) lost.push('completions, parallelism: an occurrence is one run; spread the work over items (fan-out)');
  else if (textAt(job, 'completionMode') === 'Indexed') lost.push('completionMode Indexed: a run has no index');
  const others = [...otherKeys(spec, SPEC.split(' ')), ...otherKeys(job, JOB.split(' '))];
  if (others.length > 0) lost.push(`${others.join(', ')}: a task has nothing like it`);
}
