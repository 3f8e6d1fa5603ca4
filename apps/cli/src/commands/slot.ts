import {
  DAY,
  EscapementError,
  firesBetween,
  MINUTE,
  parseSchedule,
  quietestSlots,
  type Slot,
  type SlotCandidate,
} from '@escapement/core';
import { readForecast } from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, fleetOf, withDatabase } from '../context.ts';
import { readCount, readPool, readZone } from '../options.ts';
import { counted, systemZone } from '../output/wording.ts';

interface SlotOptions {
  minutes: number;
  window: Window;
  every: string;
  days: number;
  count: number;
  pool?: string;
  tz: string;
}

/** Minutes since midnight; the end may be before the start: then midnight is in it. */
interface Window {
  from: number;
  to: number;
}

const DAY_MINUTES = DAY / MINUTE;

/** `slot`: when something could run and meet least that is at work. */
export function addSlot(program: Command, context: Context): void {
  program
    .command('slot')
    .description('the quietest times of day, for something that is still to be scheduled')
    .requiredOption('--minutes <n>', 'how long it takes, 1 to 1440', readCount('--minutes', 1, DAY_MINUTES))
    .option('--window <times>', 'it may start from then to then, as 01:00-05:00', readWindow, {
      from: 0,
      to: DAY_MINUTES - 1,
    })
    .option('--every <days>', 'on which days: `day`, or as in a cron expression: mon-fri, sat,sun', readDays, '*')
    .option('--days <n>', 'what will be at work is looked at for so many days, 1 to 60', readCount('--days', 1, 60), 7)
    .option('--count <n>', 'how many times, 1 to 100', readCount('--count', 1, 100), 5)
    .option('--pool <pool>', 'beside the tasks of one pool only', readPool)
    .option('--tz <zone>', "IANA time zone of the times; default: this machine's", readZone, systemZone())
    .action((options: SlotOptions) => showSlots(options, context));
}

async function showSlots(options: SlotOptions, context: Context): Promise<void> {
  const { minutes, days, count, pool, tz: timeZone, every } = options;
  const from = context.clock.now();
  const to = new Date(from.getTime() + days * DAY + minutes * MINUTE);
  const candidates = candidatesOf(options, { from, to: new Date(from.getTime() + days * DAY) });
  const { load, unmeasured } = await withDatabase(context, (db) =>
    readForecast(db, { ...fleetOf(context), from, to, pieces: [from], pool }),
  );
  const slots = quietestSlots(load, { candidates, lengthMs: minutes * MINUTE, count });
  const expression = ({ minute }: Slot) => `${minute % 60} ${Math.floor(minute / 60)} * * ${every}`;
  const json = slots.map((slot) => ({ ...slot, time: timeOf(slot.minute), expression: expression(slot) }));
  context.output.table({ minutes, days, timeZone, slots: json, unmeasured }, slots, [
    { title: 'TIME', value: ({ minute }) => timeOf(minute) },
    { title: 'AT ONCE', value: ({ p50 }) => String(p50), align: 'right' },
    { title: 'AT MOST', value: ({ p95 }) => String(p95), align: 'right' },
    { title: 'STARTS', value: ({ starts }) => String(starts), align: 'right' },
    { title: 'EXPRESSION', value: expression },
  ]);
  context.output.note(
    `times in ${timeZone}; of the next ${counted(days, 'day')} the worst: at work at once beside it, if runs take as long as half of their task's do, or only 5 %; STARTS: of all days`,
  );
  if (unmeasured.tasks > 0)
    context.output.note(`not known how long ${counted(unmeasured.tasks, 'task')} take: they count in STARTS alone`);
}

function candidatesOf({ window, every, tz: timeZone }: SlotOptions, span: { from: Date; to: Date }): SlotCandidate[] {
  const length = ((window.to - window.from + DAY_MINUTES) % DAY_MINUTES) + 1;
  return Array.from({ length }, (_, index) => {
    const minute = (window.from + index) % DAY_MINUTES;
    const expression = `${minute % 60} ${Math.floor(minute / 60)} * * ${every}`;
    const schedule = parseSchedule({ kind: 'cron', expression, timeZone });
    return { minute, at: firesBetween(schedule, span.from, span.to).map((at) => at.getTime()) };
  });
}

function timeOf(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

const WINDOW = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/;

/** Throws `bad_window`. */
function readWindow(text: string): Window {
  const [, ...parts] = WINDOW.exec(text) ?? [];
  const [fromHour, fromMinute, toHour, toMinute] = parts.map(Number);
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined)
    throw new EscapementError('bad_window', `--window is "${text}"`, { fix: 'give two times of day, as 01:00-05:00' });
  return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
}

/** The field of a cron expression. Throws what a wrong one throws. */
function readDays(text: string): string {
  const field = text === 'day' ? '*' : text;
  if (/\s/.test(field))
    throw new EscapementError('bad_days', `--every is "${text}"`, {
      fix: 'give day, mon-fri or sat,sun, without spaces',
    });
  parseSchedule({ kind: 'cron', expression: `0 0 * * ${field}`, timeZone: 'UTC' });
  return field;
}
