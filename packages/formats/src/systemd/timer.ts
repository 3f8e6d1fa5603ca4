import { DAY, type TaskInput } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { cannotSay } from '../translated/translated.ts';
import { readCalendar } from './calendar/read-calendar.ts';
import { cronOf } from './calendar/to-cron.ts';
import { readSpan } from './time-span.ts';
import type { Unit } from './unit-file.ts';

/** When a timer starts its unit: a schedule for each task that it takes. */
export interface Timer {
  schedules: ScheduleSpec[];
  /** Also once when the fleet comes up. */
  onFleetStart: boolean;
  catchUp: TaskInput['catchUp'];
  lost: string[];
  notes: string[];
}

const LONGEST_JITTER_MS = DAY;
const SHORTEST_MS = 1000;

/** Reads the `[Timer]` section. `zone`: of lines of `OnCalendar=` without one. Throws `cannot_say`. */
export function readTimer(unit: Unit, zone: string): Timer {
  const timer: Timer = { schedules: [], onFleetStart: false, catchUp: undefined, lost: [], notes: [] };
  const calendar = unit.all('Timer', 'OnCalendar');
  if (calendar.length > 0) readCalendars(unit, zone, timer);
  readIntervals(unit, timer);
  readStarts(unit, timer);
  for (const key of ['OnClockChange', 'OnTimezoneChange'])
    if (unit.flag('Timer', key)) timer.lost.push(`${key}: nothing starts by a change of the clock or the zone`);
  if (unit.flag('Timer', 'WakeSystem'))
    timer.lost.push('WakeSystem: no machine is woken; a worker that is up takes the run');
  if (timer.schedules.length > 0) return jittered(unit, timer);
  throw cannotSay(
    'the timer has neither OnCalendar= nor an interval',
    'OnActiveSec= alone starts once: trigger a task by hand; or give it a time',
  );
}

function readCalendars(unit: Unit, zone: string, timer: Timer): void {
  const texts = unit.all('Timer', 'OnCalendar');
  timer.schedules.push(...cronOf(texts, zone));
  if (texts.some((text) => readCalendar(text).timeZone === undefined))
    timer.notes.push(`zone ${zone}, as no zone stands in OnCalendar=`);
  const isPersistent = unit.flag('Timer', 'Persistent');
  timer.catchUp = isPersistent ? { policy: 'latest', withinMs: 366 * DAY } : { policy: 'none' };
}

function readIntervals(unit: Unit, { schedules, notes }: Timer): void {
  for (const text of unit.all('Timer', 'OnUnitActiveSec')) {
    schedules.push({ kind: 'every', everyMs: intervalOf('OnUnitActiveSec', text) });
    notes.push(`OnUnitActiveSec=${text}: on a steady grid, not counted from the last start`);
  }
  for (const text of unit.all('Timer', 'OnUnitInactiveSec'))
    schedules.push({ kind: 'fixed-delay', delayMs: intervalOf('OnUnitInactiveSec', text) });
}

function intervalOf(key: string, text: string): number {
  const ms = readSpan(key, text);
  if (ms >= SHORTEST_MS && ms <= 366 * DAY && Number.isInteger(ms)) return ms;
  throw cannotSay(`${key}=${text} is no interval of a schedule`, 'give 1 s to 366 days');
}

/** What starts it once: with the machine, or with the timer. */
function readStarts(unit: Unit, timer: Timer): void {
  const boot = ['OnBootSec', 'OnStartupSec'].filter((key) => unit.all('Timer', key).length > 0);
  const goesOn = timer.schedules.some(({ kind }) => kind !== 'cron');
  const once = unit.all('Timer', 'OnActiveSec').length > 0;
  // With an interval they say only when that begins.
  if (goesOn || (boot.length === 0 && !once)) return;
  if (once) timer.lost.push('OnActiveSec: nothing starts when the task is saved; trigger it by hand');
  if (boot.length === 0) return;
  timer.onFleetStart = true;
  timer.lost.push(
    `${boot.join(', ')}: it runs once, on one worker, when the fleet comes up after no scheduler has lived for 60 s, not at each boot, and at once`,
  );
  if (timer.schedules.length === 0) timer.schedules.push({ kind: 'manual' });
}

function jittered(unit: Unit, timer: Timer): Timer {
  const text = unit.last('Timer', 'RandomizedDelaySec');
  const ms = text === undefined ? 0 : readSpan('RandomizedDelaySec', text);
  if (ms === 0) return timer;
  const jitterMs = Math.min(ms, LONGEST_JITTER_MS);
  const lost = [...timer.lost];
  if (ms > LONGEST_JITTER_MS) lost.push(`RandomizedDelaySec=${text}: at most a day`);
  if (unit.flag('Timer', 'FixedRandomDelay'))
    lost.push(
      'FixedRandomDelay: the delay is another one for each occurrence, and always the same for that; H in a cron expression fixes the time of a task',
    );
  return {
    ...timer,
    lost,
    schedules: timer.schedules.map((spec) => (spec.kind === 'manual' ? spec : { ...spec, jitterMs })),
  };
}
