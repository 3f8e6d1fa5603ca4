import { z } from 'zod';
import { calendarUse } from '../schedule/calendar/spec.ts';
import { shadowOfLine } from '../shadow/shadow-of-line.ts';
import { SPREADS } from '../spread.ts';
import { catchUpPolicy } from './catch-up-policy.ts';

/** What planning a task needs of its definition besides the schedule; kept apart from the definition. */
export const planningRules = z.object({
  misfireThresholdMs: z.number().optional(),
  catchUp: catchUpPolicy.optional(),
  calendars: calendarUse.optional(),
  spread: z.enum(SPREADS).optional(),
  shadow: shadowOfLine.optional(),
});

export type PlanningRules = z.output<typeof planningRules>;
