import { calendarSpec } from '@escapement/core/schedule';
import { z } from 'zod';
import { at } from './values.ts';

export const calendarIn = calendarSpec.meta({
  id: 'CalendarDefinition',
  example: { timeZone: 'Europe/Berlin', entries: [{ dates: ['2026-12-25'] }] },
});

/** Of a request. */
export const yearIn = z.coerce
  .number()
  .int()
  .min(1970)
  .max(2199)
  .optional()
  .meta({ description: 'Default: the year that it is in UTC.' });

const day = z.object({
  date: z.string().meta({ description: 'As in 2026-12-25, in the zone of the calendar.' }),
  isWhole: z.boolean().meta({ description: 'All of the day is in it, by the clock on the wall.' }),
  hours: z
    .array(z.string())
    .meta({ description: 'The times of day that are in it: `18:00-24:00`, from, included, up to, not included.' }),
  entries: z.array(z.string()).meta({ description: 'The entries that hold, by name or in words.' }),
});

const onTask = z.object({
  ...{ id: z.string(), name: z.string() },
  timeZone: z.string().nullable().meta({ description: 'On whose clock its schedule is; null: on none.' }),
  shift: z
    .enum(['next', 'previous'])
    .nullable()
    .meta({ description: 'To which day an occurrence is moved; null: it is skipped.' }),
  leftOut: z
    .array(z.object({ at, reason: z.string() }))
    .meta({ description: 'The next occurrences of its schedule that are in the calendar: at most 5, within a year.' }),
  next: z.array(at).meta({ description: 'When it runs next, with all its calendars: at most 3, within a year.' }),
});

export const effect = z
  .object({
    year: z.int(),
    days: z.array(day).meta({ description: 'The days of the year of which it excludes something.' }),
    tasks: z.array(onTask).meta({ description: 'The tasks that use it: the first 50 by name.' }),
    taskCount: z.int().meta({ description: 'How many use it.' }),
  })
  .meta({ id: 'CalendarEffect' });
