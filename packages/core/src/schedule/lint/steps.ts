import type { FieldName } from '../cron/field.ts';
import type { Span } from '../cron/item.ts';
import { type CronReading, readCron } from '../cron/read.ts';
import type { CronSchedule } from '../schedule.ts';
import type { ScheduleLint } from './schedule-lint.ts';

/** How many values go round before a field starts anew, and what it is called then. */
const CYCLES: readonly { name: FieldName; count: number; unit: string; round: string }[] = [
  { name: 'second', count: 60, unit: 'second', round: 'minute' },
  { name: 'minute', count: 60, unit: 'minute', round: 'hour' },
  { name: 'hour', count: 24, unit: 'hour', round: 'day' },
  { name: 'dayOfMonth', count: 31, unit: 'day', round: 'month' },
  { name: 'month', count: 12, unit: 'month', round: 'year' },
  { name: 'dayOfWeek', count: 7, unit: 'day', round: 'week' },
];

/** Steps over a whole field that do not come out even: the stretch before it starts anew is shorter. */
export function lintSteps({ spec, expression }: CronSchedule): ScheduleLint[] {
  const reading = readCron(expression, spec.dialect ?? 'unix');
  const steps = CYCLES.flatMap((cycle) =>
    reading.fields[cycle.name].items.flatMap((item) => (item.kind === 'step' ? lintStep(item, cycle) : [])),
  );
  return [...lintSeconds(reading), ...steps];
}

/** `* 30 2 * * *`: whoever thinks of five fields means once. */
function lintSeconds({ fields: { second, minute } }: CronReading): ScheduleLint[] {
  if (second.text !== '*' || minute.values.length === 60) return [];
  return [
    {
      code: 'every_second',
      message: 'the first field is the second, and * is each of them: it is due 60 times in each of its minutes',
      fix: '0 as the second: once in each of its minutes',
    },
  ];
}

function lintStep({ from, to, step }: Span, { count, unit, round }: (typeof CYCLES)[number]): ScheduleLint[] {
  const first = count === 60 || count === 24 ? 0 : from;
  const whole = to - first >= count - 1 - (count === 7 ? 1 : 0) && from - first < step;
  if (step >= count) {
    return [
      {
        code: 'step_too_large',
        message: `a step of ${step} ${unit}s leaves the ${round}: it matches ${unit} ${from} only`,
      },
    ];
  }
  if (!whole || count % step === 0) return [];
  const last = from + Math.floor((to - from) / step) * step;
  return [
    {
      code: 'uneven_step',
      message: `every ${step} ${unit}s starts anew each ${round}: from ${unit} ${last} to the next ${unit} ${from} it is less than ${step}`,
      ...(count === 60 || count === 24 ? { fix: 'a schedule of kind "every" has equal distances' } : {}),
    },
  ];
}
