import { z } from 'zod';

const day = z.string().regex(/^(\d{4}-)?\d{2}-\d{2}$/, 'a date such as 2026-12-25, or 12-25 for every year');
const hours = z.string().regex(/^\d{1,2}(:\d{2})?-\d{1,2}(:\d{2})?$/, 'hours such as 22-6 or 09:30-17, from and up to');

export const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

/** An entry holds when all that it gives holds. */
const calendarEntry = z
  .strictObject({
    /** Shown as the reason. Default: the entry in words. */
    name: z.string().min(1).max(200).optional(),
    dates: z.array(day).min(1).max(2000).optional(),
    weekdays: z.array(z.enum(WEEKDAY_NAMES)).min(1).optional(),
    /** A range of days, both ends included; given together, both with a year or both without. */
    from: day.optional(),
    to: day.optional(),
    /** Parts of the day: from, included, up to, not included; may go beyond midnight. */
    hours: z.array(hours).min(1).max(24).optional(),
  })
  .refine((entry) => [entry.dates, entry.weekdays, entry.from, entry.hours].some((given) => given !== undefined), {
    message: 'give at least one of dates, weekdays, from and to, hours',
  })
  .refine((entry) => (entry.from === undefined) === (entry.to === undefined), {
    message: 'from and to belong together',
  });

/** A named set of times: what is in one of its entries. */
export const calendarSpec = z.strictObject({
  description: z.string().max(1000).optional(),
  /** IANA name: whose days and hours they are. */
  timeZone: z.string(),
  entries: z.array(calendarEntry).min(1).max(1000),
});

export type CalendarEntry = z.output<typeof calendarEntry>;
export type CalendarSpec = z.output<typeof calendarSpec>;

export const calendarName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, '1 to 100 letters, digits and ._- , starting with a letter or digit');

/** How a task uses calendars. */
export const calendarUse = z
  .strictObject({
    /** An occurrence that falls into one of these calendars does not run: its row is `skipped`, with the entry. */
    exclude: z.array(calendarName).min(1).max(20),
    /** Moves it to the nearest day that is not excluded instead, at the same time of day. */
    shift: z.enum(['next', 'previous']).optional(),
    /**
     * With shift: working days, which are no weekend and in none of the calendars. It is moved to the nearest of them, and from there so many
     * on, or back if negative: shift previous and -2 is two working days before the last one. Default: weekends count as any day.
     */
    workingDayOffset: z.int().min(-23).max(23).optional(),
  })
  .refine(({ shift, workingDayOffset }) => shift !== undefined || workingDayOffset === undefined, {
    message: 'workingDayOffset needs shift: to which working day an occurrence goes first',
  });

export type CalendarUse = z.output<typeof calendarUse>;
