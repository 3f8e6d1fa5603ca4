import { z } from 'zod';
import { catchUpPolicy } from './catch-up-policy.ts';

/** What planning a task needs of its definition besides the schedule; kept apart from the definition. */
export const planningRules = z.object({
  misfireThresholdMs: z.number().optional(),
  catchUp: catchUpPolicy.optional(),
});

export type PlanningRules = z.output<typeof planningRules>;
