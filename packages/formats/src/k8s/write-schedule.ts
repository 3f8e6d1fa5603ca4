import { isDeepStrictEqual } from 'node:util';
import { HOUR, MINUTE, SECOND } from '@escapement/core';
import { isSpan, parseSchedule, readCron, type ScheduleSpec } from '@escapement/core/schedule';
import { cannotSay } from '../translated/translated.ts';

/** A schedule in the words of a CronJob. */
export type CronJobSchedule = { schedule: string; timeZone?: string };

/** Throws `cannot_say`. */
export function writeSchedule(spec: ScheduleSpec, seed: string, notes: string[]): CronJobSchedule {
  if (spec.startAt ?? spec.endAt ?? spec.maxRuns)
    throw cannotSay('its schedule has a start, an end or a number of runs', 'a CronJob has nothing like it');
  if (spec.jitterMs) notes.push(`its runs are spread over ${spec.jitterMs / SECOND} s`);
  if (spec.kind === 'cron') return cronOf(spec, seed, notes);
  if (spec.kind !== 'every')
    throw cannotSay(`a CronJob has no schedule of kind ${spec.kind}`, 'give it a cron expression');
  if (spec.phaseMs || spec.anchor) notes.push('the interval counts from the start of the controller, not from a grid');
  if (spec.everyMs % SECOND !== 0)
    throw cannotSay(`it comes every ${spec.everyMs} ms`, 'Kubernetes goes by whole seconds');
  return { schedule: `@every ${goDuration(spec.everyMs)}` };
}

function cronOf(spec: Extract<ScheduleSpec, { kind: 'cron' }>, seed: string, notes: string[]): CronJobSchedule {
  if (spec.dayOffset || spec.workingDayOffset)
    throw cannotSay('Kubernetes cannot say "days before" or "days after"', 'leave dayOffset out');
  if (spec.dst) notes.push('Kubernetes has no choice of what happens when the clock changes');
  const { timeZone } = spec;
  const ours = parseSchedule(spec, { seed });
  const schedule = ours.kind === 'cron' ? fiveFields(ours.expression) : '';
  const theirs = isStandard(schedule) ? parseSchedule({ kind: 'cron', expression: schedule, timeZone }) : undefined;
  if (ours.kind === 'cron' && theirs?.kind === 'cron' && isDeepStrictEqual(ours.pattern, theirs.pattern))
    return { schedule, timeZone };
  throw cannotSay(
    `Kubernetes reads "${spec.expression}" otherwise, or not at all`,
    'it takes five fields of values, ranges, steps and lists',
  );
}

/** Without second and year, where these say nothing; 7 is Sunday here and nothing there. */
function fiveFields(expression: string): string {
  const text = expression.trim();
  if (text.toLowerCase() === '@minutely') return '* * * * *';
  const fields = text.split(/\s+/);
  const isPlain = fields.length > 5 && fields[0] === '0' && (fields[6] ?? '*') === '*';
  const five = isPlain ? fields.slice(1, 6) : fields;
  return five.length === 5
    ? [...five.slice(0, 4), five[4]?.replace(/(^|,)7(?=,|$)/g, '$10')].join(' ')
    : five.join(' ');
}

const STANDARD = /^(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|(?:[\w*/,?-]+ ){4}[\w*/,?-]+)$/i;

/** Of robfig/cron: no special days, no ranges that go over the end of a field, no 7. */
function isStandard(text: string): boolean {
  if (!STANDARD.test(text) || text.split(' ')[4]?.includes('7')) return false;
  const items = Object.values(readCron(text, 'unix').fields).flatMap((field) => field.items);
  return items.every((item) => isSpan(item) && item.from <= item.to);
}

function goDuration(ms: number): string {
  const parts = [
    [Math.floor(ms / HOUR), 'h'],
    [Math.floor((ms % HOUR) / MINUTE), 'm'],
    [(ms % MINUTE) / SECOND, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join('');
}
