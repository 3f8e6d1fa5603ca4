import type { CronReading } from '../cron/read.ts';
import { evenStep, every, list, runs, two } from './wording.ts';

interface Values {
  second: readonly number[];
  minute: readonly number[];
  hour: readonly number[];
}

/** More single times than this are not spelled out where another form says the same. */
const FEW_TIMES = 6;

/** The time of day in words, and whether it needs "every day" after it. */
export function timeOfDay({ fields }: CronReading): { text: string; daily: boolean } {
  const values = { second: fields.second.values, minute: fields.minute.values, hour: fields.hour.values };
  const count = values.second.length * values.minute.length * values.hour.length;
  if (count <= FEW_TIMES && !isEvenCycle(values.hour, 24)) return { text: `at ${list(times(values))}`, daily: true };
  if (!isZero(values.second)) return { text: withSeconds(values), daily: false };
  return { text: minutesAndHours(values), daily: false };
}

function times({ second, minute, hour }: Values): string[] {
  const seconds = isZero(second) ? [''] : second.map((value) => `:${two(value)}`);
  return hour.flatMap((h) => minute.flatMap((m) => seconds.map((s) => `${two(h)}:${two(m)}${s}`)));
}

function minutesAndHours({ minute, hour }: Values): string {
  if (minute.length === 1) return oncePerHour(minute[0] ?? 0, hour);
  const often = minuteWords(minute);
  if (hour.length === 24) return often.cyclic ? often.text : `${often.text} of every hour`;
  const window = hourWindow(hour, minute);
  if (!window) return `${often.text} ${often.cyclic ? 'in' : 'of'} ${hourWords(hour)}`;
  return `${often.cyclic ? often.text.replace(/ starting.*/, '') : often.text} from ${window}`;
}

function oncePerHour(minute: number, hour: readonly number[]): string {
  const at = minute === 0 ? '' : ` at minute ${minute}`;
  const step = hour.length === 24 ? 1 : evenStep(hour, 24);
  if (step !== undefined) {
    const first = hour[0] ?? 0;
    return `${every(step, 'hour')}${at}${first === 0 ? '' : `, from ${two(first)}:${two(minute)} each day`}`;
  }
  const window = hourWindow(hour, [minute]);
  return window ? `every hour from ${window}` : `at minute ${minute} of ${hourWords(hour)}`;
}

function minuteWords(minute: readonly number[]): { text: string; cyclic: boolean } {
  if (minute.length === 60) return { text: 'every minute', cyclic: true };
  const step = evenStep(minute, 60);
  const first = minute[0] ?? 0;
  if (step === undefined) return { text: `at minutes ${list(runs(minute, String))}`, cyclic: false };
  const from = first === 0 ? '' : ` starting at minute ${first}`;
  return { text: `${every(step, 'minute')}${from}`, cyclic: true };
}

/** `09:00 to 17:55` for hours in a row, else undefined. */
function hourWindow(hour: readonly number[], minute: readonly number[]): string | undefined {
  const [first = 0, last = 0] = [hour[0], hour.at(-1)];
  if (last - first !== hour.length - 1) return undefined;
  return `${two(first)}:${two(minute[0] ?? 0)} to ${two(last)}:${two(minute.at(-1) ?? 0)}`;
}

function hourWords(hour: readonly number[]): string {
  const noun = hour.length === 1 ? 'hour' : 'hours';
  return `the ${noun} ${list(runs(hour, two))}`;
}

function withSeconds({ second, minute, hour }: Values): string {
  const everyMinute = minute.length === 60;
  const seconds = secondWords(second, everyMinute && hour.length === 24);
  if (everyMinute && hour.length === 24) return seconds;
  const minutes = everyMinute
    ? 'every minute'
    : `minute${minute.length === 1 ? '' : 's'} ${list(runs(minute, String))}`;
  const hours = hour.length === 24 ? 'every hour' : hourWords(hour);
  return everyMinute ? `${seconds} of ${hours}` : `${seconds} of ${minutes} of ${hours}`;
}

function secondWords(second: readonly number[], alone: boolean): string {
  if (second.length === 60) return 'every second';
  const step = evenStep(second, 60);
  const first = second[0] ?? 0;
  if (step !== undefined) {
    return `${every(step, 'second')}${first === 0 ? '' : ` starting at second ${first}`}`;
  }
  const noun = second.length === 1 ? 'second' : 'seconds';
  return `at ${noun} ${list(runs(second, String))}${alone ? ' of every minute' : ''}`;
}

const isZero = (values: readonly number[]): boolean => values.length === 1 && values[0] === 0;

const isEvenCycle = (values: readonly number[], cycle: number): boolean =>
  values.length > 2 && evenStep(values, cycle) !== undefined;
