import { z } from 'zod';
import { DAY, SECOND } from '../clock.ts';
import { instantText as instant } from '../instant.ts';

const localTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/, { abort: true })
  .refine((text) => text >= '1970', {
    error: ({ input }) => `${String(input)} is before 1970, where time begins here`,
  });

const bounds = {
  /** ISO 8601 instant; nothing fires before it. */
  startAt: instant.optional(),
  /** ISO 8601 instant; nothing fires after it. */
  endAt: instant.optional(),
  /** After so many planned runs it is never due again; what was skipped or missed before is not counted. Default: no end. */
  maxRuns: z.int().min(1).max(1_000_000_000).optional(),
  /** Each occurrence is delayed by a stable amount in [0, jitterMs), never past the next one. Default 0. */
  jitterMs: z.int().min(0).max(DAY).optional(),
};

export const cronSpec = z.strictObject({
  kind: z.literal('cron'),
  expression: z.string().max(1024),
  /** Never guessed. Default `unix`. */
  dialect: z.enum(['unix', 'vixie', 'quartz']).optional(),
  /** IANA name. */
  timeZone: z.string(),
  /** How the two day fields combine where both are set. Default: the dialect's own rule. */
  dayMatch: z.enum(['or', 'and']).optional(),
  /** Due so many days after the days of the expression, before them if negative: -1 is the day before. Default 0. */
  dayOffset: z.int().min(-31).max(31).optional(),
  /** The same in working days (Monday to Friday), counted from the day after or before. Not together with dayOffset. */
  workingDayOffset: z.int().min(-23).max(23).optional(),
  /** What happens to a local time that does not exist, or exists twice. */
  dst: z
    .strictObject({
      gap: z.enum(['next-valid', 'shift', 'skip']).optional(),
      overlap: z.enum(['first', 'second', 'both']).optional(),
    })
    .optional(),
  ...bounds,
});

const everySpec = z.strictObject({
  kind: z.literal('every'),
  /** Distance of the grid's points in milliseconds, counted from the Unix epoch. At least 1 s. */
  everyMs: z
    .int()
    .min(SECOND)
    .max(366 * DAY),
  /** Shifts the grid; less than everyMs. Default 0. */
  phaseMs: z.int().min(0).optional(),
  /** ISO 8601 instant from which the grid is counted instead; nothing fires before it. Not together with phaseMs. */
  anchor: instant.optional(),
  ...bounds,
});

const fixedDelaySpec = z.strictObject({
  kind: z.literal('fixed-delay'),
  /** Milliseconds from the end of the last run to the next. */
  delayMs: z
    .int()
    .min(SECOND)
    .max(366 * DAY),
  ...bounds,
});

const rruleSpec = z.strictObject({
  kind: z.literal('rrule'),
  /** RFC 5545 recurrence rule, without `RRULE:`. */
  rule: z.string().max(1024),
  /** Local date and time in timeZone. */
  dtStart: localTime,
  timeZone: z.string(),
  exDates: z.array(localTime).max(1000).optional(),
  rDates: z.array(localTime).max(1000).optional(),
  ...bounds,
});

const onceSpec = z.strictObject({ kind: z.literal('once'), at: instant, ...bounds });

const manualSpec = z.strictObject({ kind: z.literal('manual'), ...bounds });

/** When a task is due, as the API takes it and Postgres keeps it. Checked further by `parseSchedule`. */
export const scheduleSpec = z.discriminatedUnion('kind', [
  cronSpec,
  everySpec,
  fixedDelaySpec,
  rruleSpec,
  onceSpec,
  manualSpec,
]);

export type ScheduleSpec = z.infer<typeof scheduleSpec>;
export type CronSpec = z.infer<typeof cronSpec>;
export type EverySpec = z.infer<typeof everySpec>;
export type FixedDelaySpec = z.infer<typeof fixedDelaySpec>;
export type RruleSpec = z.infer<typeof rruleSpec>;
