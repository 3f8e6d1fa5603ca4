import { DAY, HOUR, MINUTE, SECOND } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { cannotSay } from '../translated/translated.ts';

const GO_UNITS: { readonly [unit: string]: number } = { h: HOUR, m: MINUTE, s: SECOND, ms: 1 };

/** The schedule of a CronJob, as robfig/cron reads it. `zone`: of one that names none. Throws `cannot_say`. */
export function readSchedule(text: string, zone: string): ScheduleSpec {
  const expression = text.trim();
  if (/^(?:CRON_)?TZ=/.test(expression))
    throw cannotSay(`the schedule "${text}" names a zone, which Kubernetes refuses`, 'put the zone into timeZone');
  const [, span] = /^@every\s+(\S+)$/.exec(expression) ?? [];
  if (span !== undefined) return { kind: 'every', everyMs: readGoDuration(span, text) };
  return { kind: 'cron', expression, timeZone: zone };
}

/** `1h30m10s`; robfig/cron goes by whole seconds. */
function readGoDuration(span: string, text: string): number {
  const members = [...span.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  const ms = members.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (GO_UNITS[unit] ?? 0), 0);
  const whole = Math.floor(ms / SECOND) * SECOND;
  if (members.map(([member]) => member).join('') === span && whole >= SECOND && whole <= 366 * DAY) return whole;
  throw cannotSay(`the schedule "${text}" has no span of time from 1 s to 366 days`, 'write it as in @every 1h30m');
}
