import { z } from 'zod';
import { RUN_ON } from '../run-on.ts';
import { calendarUse } from '../schedule/calendar/spec.ts';
import { shadowOfLine } from '../shadow/shadow-of-line.ts';
import { catchUpPolicy } from './catch-up-policy.ts';

/** What planning a task needs of its definition besides the schedule; kept apart from the definition. */
export const planningRules = z.object({
  misfireThresholdMs: z.number().optional(),
  catchUp: catchUpPolicy.optional(),
  calendars: calendarUse.optional(),
  runOn: z.enum(RUN_ON).optional(),
  shadow: shadowOfLine.optional(),
});

export type PlanningRules = z.output<typeof planningRules>;
