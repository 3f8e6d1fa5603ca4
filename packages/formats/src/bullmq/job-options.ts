import { DAY, type TaskInput } from '@escapement/core';
import { cannotSay } from '../translated/translated.ts';

interface ReadOptions {
  said: Pick<TaskInput, 'retry'>;
  lost: string[];
}

/** Options that have no meaning for a task: what is kept, what BullMQ notes for itself, as the delay until the next time. */
const NO_MATTER = new Set(
  'attempts backoff delay removeOnComplete removeOnFail repeat jobId timestamp prevMillis repeatJobKey kl keepLogs tm omc telemetry stackTraceLimit sizeLimit'.split(
    ' ',
  ),
);

/** What helps instead of an option. */
const ADVICE: { readonly [option: string]: string } = {
  priority: 'say priority of the task, 0 to 100, where more is more urgent',
  lifo: 'say priority of the task',
  de: 'deduplication: the key of the task keeps runs apart',
  deduplication: 'the key of the task keeps runs apart',
  parent: 'name the task in then or onSuccess of another one',
};

const LONGEST_FIXED_MS = 7 * DAY;

/** The options of a scheduler's jobs, in JSON. Throws `cannot_say`. */
export function readJobOptions(text: string | undefined): ReadOptions {
  const options = optionsIn(text);
  const lost = Object.keys(options)
    .filter((name) => !NO_MATTER.has(name) && options[name] !== undefined && options[name] !== 0)
    .map((name) => `${name}: ${ADVICE[name] ?? 'a task has nothing like it'}`);
  const attempts = Number(options.attempts ?? 1);
  if (!Number.isInteger(attempts) || attempts < 0 || attempts > 1000)
    throw cannotSay(`its attempts are ${JSON.stringify(options.attempts)}`, 'give 1 to 1000');
  return attempts > 1 ? { said: { retry: retryOf(attempts, options.backoff, lost) }, lost } : { said: {}, lost };
}

function optionsIn(text: string | undefined): { readonly [name: string]: unknown } {
  if (text === undefined || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    throw cannotSay('its options are not JSON', 'add it to the queue anew');
  }
}

function retryOf(maxAttempts: number, backoff: unknown, lost: string[]): NonNullable<TaskInput['retry']> {
  if (backoff === undefined || backoff === null) return { maxAttempts };
  const { type, delay }: { type?: unknown; delay?: unknown } =
    typeof backoff === 'object' ? backoff : { type: 'fixed', delay: backoff };
  const delayMs = Number(delay ?? 0);
  if (type === 'fixed' && delayMs >= 0)
    return { maxAttempts, backoff: { kind: 'fixed', delayMs: Math.min(LONGEST_FIXED_MS, delayMs) } };
  if (type === 'exponential' && delayMs >= 1)
    return { maxAttempts, backoff: { kind: 'exponential', delayMs: Math.min(DAY, delayMs), capMs: LONGEST_FIXED_MS } };
  lost.push(`backoff ${JSON.stringify(type)}: fixed and exponential are known; it is tried again at once`);
  return { maxAttempts };
}
